/* SPDX-License-Identifier: Apache-2.0 */
/* Every key of the JSON files of a model's folder that is known, and what becomes of it
 * (folder_keys.h). docs/models.md has the same rows (tests/tools/model_keys.py), and
 * tests/torch/test_model_keys.py walks them: for each key that is obeyed there is a folder whose
 * numbers it changes, equal to those of the package, and for each that is refused the refusal.
 *
 *   KEY(files, families, key, verdict, accepted, note)
 *
 * files: of which the key is a member, joined by |. families: model types of config.json for which
 * the row is, by white space, or one of the names below; the first row of a key that fits is the
 * one that counts. accepted: of a refused key the values without an effect, as JSON, joined by |;
 * null is one of them everywhere, since it stands for the default. note: what is obeyed, why there
 * is no effect, or what to do in place of the key.
 *
 * ALL: every family. BERTS: bert, roberta, xlm-roberta, rembert, camembert, xlm-roberta-xl, mpnet,
 * electra, albert. ROTARIES: modernbert, eurobert, nomic_bert. NEWER: these and deberta-v2.
 * ENCODERS: BERTS, distilbert and NEWER. BARTS: bart, mbart, marian, m2m_100, alcore_transformer.
 * T5S: t5, mt5. SEQ2SEQ: BARTS and T5S. LANGUAGE: llama, mistral, qwen2, qwen3, gemma3_text.
 * OUTPUTS: SEQ2SEQ and LANGUAGE. NATIVE: those of which transformers has the code: ENCODERS, and
 * OUTPUTS but for alcore_transformer. */

/* ---- config.json: what the model is ---- */
KEY(CONFIG, ALL, "model_type", OBEYED, "", "the family")
KEY(CONFIG, ALL, "architectures", OBEYED, "", "the head, by the end of the first name")
KEY(CONFIG, ALL, "vocab_size", OBEYED, "", "rows of the table of words; another number is an error")
KEY(CONFIG, ALL, "id2label", OBEYED, "", "names of the classes")
KEY(CONFIG, ALL, "problem_type", OBEYED, "",
    "probabilities of a head over texts: softmax, or sigmoids of multi_label_classification; "
    "values of a regression")
KEY(CONFIG, ALL, "tie_word_embeddings", OBEYED, "",
    "whether the output matrix is the table of words")
KEY(CONFIG, ALL, "pad_token_id", OBEYED, "",
    "first position of RoBERTa and its kin, start of outputs, and what is not trained")
KEY(CONFIG, BERTS, "hidden_size", OBEYED, "", "width of the stack")
KEY(CONFIG, BERTS, "num_hidden_layers", OBEYED, "", "number of blocks")
KEY(CONFIG, BERTS, "num_attention_heads", OBEYED, "", "heads of an attention")
KEY(CONFIG, BERTS, "intermediate_size", OBEYED, "", "width of the feed-forward net")
KEY(CONFIG, BERTS, "hidden_act", OBEYED, "",
    "activation: gelu, gelu_new, gelu_pytorch_tanh, relu, silu or swish; another is an error")
KEY(CONFIG, BERTS, "hidden_dropout_prob", OBEYED, "", "dropout in training and with `dropout`")
KEY(CONFIG, BERTS, "attention_probs_dropout_prob", OBEYED, "", "dropout of attention weights")
KEY(CONFIG, BERTS, "layer_norm_eps", OBEYED, "", "epsilon of norms")
KEY(CONFIG, BERTS, "type_vocab_size", NO_EFFECT, "", "the tensor has that many rows")
KEY(CONFIG, "rembert albert", "classifier_dropout_prob", OBEYED, "",
    "dropout before a head, in training")
KEY(CONFIG, "electra albert", "embedding_size", NO_EFFECT, "", "the tensor has that many columns")
KEY(CONFIG, "albert", "num_hidden_groups", OBEYED, "",
    "number of different blocks, each of which stands several times in a row")
KEY(CONFIG, "albert", "inner_group_num", REFUSED, "1", "a group is one block")
KEY(CONFIG, "albert", "down_scale_factor", NO_EFFECT, "", "of old folders")
KEY(CONFIG, "albert", "gap_size", NO_EFFECT, "", "of old folders")
KEY(CONFIG, "albert", "net_structure_type", NO_EFFECT, "", "of old folders")
KEY(CONFIG, "albert", "num_memory_blocks", NO_EFFECT, "", "of old folders")
KEY(CONFIG, "electra", "summary_type", NO_EFFECT, "", "of heads for multiple choice")
KEY(CONFIG, "electra", "summary_use_proj", NO_EFFECT, "", "of heads for multiple choice")
KEY(CONFIG, "electra", "summary_activation", NO_EFFECT, "", "of heads for multiple choice")
KEY(CONFIG, "electra", "summary_last_dropout", NO_EFFECT, "", "of heads for multiple choice")
KEY(CONFIG, "mpnet", "relative_attention_num_buckets", NO_EFFECT, "",
    "the tensor has that many rows, of which 32 are used")
KEY(CONFIG, "rembert", "input_embedding_size", NO_EFFECT, "", "the tensor has that many columns")
KEY(CONFIG, "rembert", "output_embedding_size", NO_EFFECT, "", "the tensor has that many columns")
KEY(CONFIG, "distilbert", "dim", OBEYED, "", "width of the stack")
KEY(CONFIG, "distilbert", "n_layers", OBEYED, "", "number of blocks")
KEY(CONFIG, "distilbert", "n_heads", OBEYED, "", "heads of an attention")
KEY(CONFIG, "distilbert", "hidden_dim", OBEYED, "", "width of the feed-forward net")
KEY(CONFIG, "distilbert", "activation", OBEYED, "", "activation, as hidden_act of BERT")
KEY(CONFIG, "distilbert", "seq_classif_dropout", OBEYED, "", "dropout before the head, in training")
KEY(CONFIG, "distilbert", "qa_dropout", NO_EFFECT, "",
    "dropout before the head of a training by transformers; training here has none there")
KEY(CONFIG, "distilbert", "sinusoidal_pos_embds", NO_EFFECT, "",
    "the file has the table of positions")
KEY(CONFIG, "distilbert", "tie_weights_", NO_EFFECT, "",
    "of old folders; tie_word_embeddings counts")
KEY(CONFIG, ENCODERS, "is_decoder", REFUSED, "false",
    "the attention of encoders is in both directions")
KEY(CONFIG, ENCODERS, "add_cross_attention", REFUSED, "false", "encoders read no other sequence")

/* ---- config.json of ModernBERT, EuroBERT, nomic-bert and DeBERTa-v2 ---- */
KEY(CONFIG, NEWER, "hidden_size", OBEYED, "", "width of the stack")
KEY(CONFIG, NEWER, "num_hidden_layers", OBEYED, "", "number of blocks")
KEY(CONFIG, NEWER, "num_attention_heads", OBEYED, "", "heads of an attention")
KEY(CONFIG, NEWER, "intermediate_size", OBEYED, "", "width of the feed-forward net")
KEY(CONFIG, "eurobert nomic_bert deberta-v2", "hidden_act", OBEYED, "", "activation, as of BERT")
KEY(CONFIG, "modernbert", "hidden_activation", OBEYED, "", "activation, as hidden_act of BERT")
KEY(CONFIG, "nomic_bert deberta-v2", "hidden_dropout_prob", OBEYED, "",
    "dropout in training and with `dropout`")
KEY(CONFIG, "nomic_bert deberta-v2", "attention_probs_dropout_prob", OBEYED, "",
    "dropout of attention weights")
KEY(CONFIG, "modernbert eurobert", "attention_dropout", OBEYED, "",
    "dropout of attention weights, in ModernBERT of the output too")
KEY(CONFIG, "modernbert", "embedding_dropout", OBEYED, "", "dropout of embeddings")
KEY(CONFIG, "modernbert", "mlp_dropout", OBEYED, "", "dropout within the feed-forward net")
KEY(CONFIG, "modernbert nomic_bert", "classifier_dropout", OBEYED, "",
    "dropout before a head, in training")
KEY(CONFIG, "nomic_bert deberta-v2", "layer_norm_eps", OBEYED, "", "epsilon of norms")
KEY(CONFIG, "modernbert", "norm_eps", OBEYED, "", "epsilon of norms")
KEY(CONFIG, "modernbert", "layer_norm_eps", NO_EFFECT, "", "norm_eps counts")
KEY(CONFIG, "eurobert", "rms_norm_eps", OBEYED, "", "epsilon of norms")
KEY(CONFIG, "nomic_bert", "type_vocab_size", NO_EFFECT, "", "the tensor has that many rows")
KEY(CONFIG, "deberta-v2", "type_vocab_size", OBEYED, "",
    "rows of the table of types; 0: there is none")
KEY(CONFIG, ROTARIES, "max_position_embeddings", OBEYED, "", "the longest input")
KEY(CONFIG, "modernbert eurobert", "attention_bias", OBEYED, "", "whether projections have biases")
KEY(CONFIG, "modernbert eurobert", "mlp_bias", OBEYED, "",
    "whether the feed-forward net has biases, in EuroBERT the output matrix too")
KEY(CONFIG, "modernbert", "norm_bias", OBEYED, "", "whether norms have biases")
KEY(CONFIG, "modernbert", "decoder_bias", OBEYED, "", "whether the output matrix has one")
KEY(CONFIG, "modernbert", "classifier_bias", OBEYED, "", "whether the first layer of heads has one")
KEY(CONFIG, "modernbert", "classifier_activation", OBEYED, "", "activation of heads")
KEY(CONFIG, "modernbert", "classifier_pooling", OBEYED, "",
    "what a head over texts reads: cls, the first token, or mean")
KEY(CONFIG, "eurobert", "classifier_pooling", OBEYED, "",
    "what a head over texts reads: bos, the first token, mean, or late, the mean of the outputs of "
    "its first layer")
KEY(CONFIG, "eurobert", "clf_pooling", NO_EFFECT, "", "classifier_pooling counts")
KEY(CONFIG, "modernbert", "local_attention", OBEYED, "", "window of attention, both sides together")
KEY(CONFIG, "modernbert", "layer_types", OBEYED, "", "which blocks attend within the window alone")
KEY(CONFIG, "modernbert", "global_attn_every_n_layers", OBEYED, "",
    "the same in older folders: all but each n-th")
KEY(CONFIG, ROTARIES, "rope_parameters", OBEYED, "",
    "rotary positions: theta, and the forms default, linear, dynamic, llama3 and yarn")
KEY(CONFIG, ROTARIES, "rope_scaling", OBEYED, "", "the same in older folders; it goes first")
KEY(CONFIG, "eurobert nomic_bert", "rope_theta", OBEYED, "", "theta in older folders")
KEY(CONFIG, "modernbert", "global_rope_theta", OBEYED, "",
    "theta of blocks that attend to all, in older folders")
KEY(CONFIG, "modernbert", "local_rope_theta", OBEYED, "", "theta of the others, in older folders")
KEY(CONFIG, "eurobert", "num_key_value_heads", OBEYED, "", "heads of keys and values")
KEY(CONFIG, "eurobert nomic_bert", "head_dim", OBEYED, "", "components of a head")
KEY(CONFIG, "modernbert", "is_causal", REFUSED, "false", "attention is in both directions")
KEY(CONFIG, "modernbert", "causal_mask", REFUSED, "false", "attention is in both directions")
KEY(CONFIG, "modernbert", "position_embedding_type", NO_EFFECT, "", "positions are rotary")
KEY(CONFIG, "modernbert", "deterministic_flash_attn", NO_EFFECT, "",
    "how transformers computes, not what")
KEY(CONFIG, "modernbert", "reference_compile", NO_EFFECT, "", "how transformers computes, not what")
KEY(CONFIG, "modernbert", "repad_logits_with_grad", NO_EFFECT, "",
    "how transformers computes, not what")
KEY(CONFIG, "modernbert", "sparse_prediction", NO_EFFECT, "", "of a training by transformers")
KEY(CONFIG, "modernbert", "sparse_pred_ignore_index", NO_EFFECT, "",
    "of a training by transformers")
KEY(CONFIG, "modernbert", "initializer_cutoff_factor", NO_EFFECT, "", "of random weights")
KEY(CONFIG, "modernbert", "cls_token_id", NO_EFFECT, "", "the tokenizer has it")
KEY(CONFIG, "eurobert", "mask_token_id", NO_EFFECT, "", "the tokenizer has it")
KEY(CONFIG, "eurobert", "pretraining_tp", NO_EFFECT, "", "how transformers computes, not what")
KEY(CONFIG, "deberta-v2", "relative_attention", OBEYED, "", "whether attention reads distances")
KEY(CONFIG, "deberta-v2", "pos_att_type", OBEYED, "",
    "c2p: queries meet distances, p2c: keys do; a list, or joined by a vertical bar")
KEY(CONFIG, "deberta-v2", "position_buckets", OBEYED, "",
    "distances beyond half of them share rows of the table")
KEY(CONFIG, "deberta-v2", "max_relative_positions", OBEYED, "",
    "the furthest distance; max_position_embeddings where it is -1")
KEY(CONFIG, "deberta-v2", "norm_rel_ebd", OBEYED, "",
    "whether the table of distances has a norm: none or layer_norm")
KEY(CONFIG, "deberta-v2", "share_att_key", OBEYED, "",
    "whether distances have the projections of tokens")
KEY(CONFIG, "deberta-v2", "position_biased_input", OBEYED, "",
    "whether there is a table of positions, and so a longest input")
KEY(CONFIG, "deberta-v2", "conv_kernel_size", OBEYED, "",
    "tokens of a convolution beside the first block; 0: there is none")
KEY(CONFIG, "deberta-v2", "conv_act", OBEYED, "", "its activation; tanh too")
KEY(CONFIG, "deberta-v2", "conv_groups", OBEYED, "", "its groups of components")
KEY(CONFIG, "deberta-v2", "legacy", OBEYED, "", "which head over masked words the file has")
KEY(CONFIG, "deberta-v2", "pooler_hidden_act", OBEYED, "",
    "activation of the first layer of a head over texts")
KEY(CONFIG, "deberta-v2", "pooler_dropout", OBEYED, "", "dropout before it, in training")
KEY(CONFIG, "deberta-v2", "cls_dropout", OBEYED, "",
    "dropout behind it, in training; hidden_dropout_prob where it is missing")
KEY(CONFIG, "deberta-v2", "embedding_size", NO_EFFECT, "", "the tensor has that many columns")
KEY(CONFIG, "deberta-v2", "pooler_hidden_size", NO_EFFECT, "", "the tensor has that many columns")
KEY(CONFIG, "deberta-v2", "attention_head_size", REFUSED, "", "heads are hidden_size / heads wide")
KEY(CONFIG, "deberta-v2", "padding_idx", NO_EFFECT, "", "pad_token_id counts")

/* ---- config.json of models with a decoder, and of all ---- */
KEY(CONFIG, SEQ2SEQ, "d_model", OBEYED, "", "width of the stacks")
KEY(CONFIG, BARTS, "encoder_layers", OBEYED, "", "blocks of the encoder")
KEY(CONFIG, BARTS, "decoder_layers", OBEYED, "", "blocks of the decoder")
KEY(CONFIG, BARTS, "encoder_attention_heads", OBEYED, "", "heads of an attention of the encoder")
KEY(CONFIG, BARTS, "decoder_attention_heads", OBEYED, "", "heads of an attention of the decoder")
KEY(CONFIG, BARTS, "encoder_ffn_dim", OBEYED, "", "width of the encoder's feed-forward net")
KEY(CONFIG, BARTS, "decoder_ffn_dim", OBEYED, "", "width of the decoder's feed-forward net")
KEY(CONFIG, BARTS, "activation_function", OBEYED, "", "activation, as hidden_act of BERT")
KEY(CONFIG, BARTS, "scale_embedding", OBEYED, "",
    "embeddings are multiplied by the root of d_model")
KEY(CONFIG, BARTS " distilbert", "dropout", OBEYED, "", "dropout in training and with `dropout`")
KEY(CONFIG, BARTS " distilbert", "attention_dropout", OBEYED, "", "dropout of attention weights")
KEY(CONFIG, BARTS, "activation_dropout", OBEYED, "", "dropout behind the activation")
KEY(CONFIG, BARTS " " ENCODERS, "max_position_embeddings", OBEYED, "",
    "rows of the table of positions, and so the longest input")
KEY(CONFIG, "marian", "decoder_vocab_size", NO_EFFECT, "", "the tensor has that many rows")
KEY(CONFIG, BARTS, "share_encoder_decoder_embeddings", OBEYED, "",
    "whether both sides share one table of words")
KEY(CONFIG, "alcore_transformer", "normalize_before", OBEYED, "",
    "norms before or after the sublayers")
KEY(CONFIG, "alcore_transformer", "random_seed", OBEYED, "",
    "seed of the weights of a folder that has none")
KEY(CONFIG, T5S, "d_kv", OBEYED, "", "components of a head")
KEY(CONFIG, T5S, "d_ff", OBEYED, "", "width of the feed-forward net")
KEY(CONFIG, T5S, "num_layers", OBEYED, "", "blocks of the encoder")
KEY(CONFIG, T5S, "num_decoder_layers", OBEYED, "",
    "blocks of the decoder; num_layers where it is missing")
KEY(CONFIG, T5S, "num_heads", OBEYED, "", "heads of an attention")
KEY(CONFIG, T5S, "relative_attention_num_buckets", OBEYED, "", "buckets of relative positions")
KEY(CONFIG, T5S, "relative_attention_max_distance", OBEYED, "",
    "distance from which all positions share a bucket")
KEY(CONFIG, T5S, "dropout_rate", OBEYED, "", "dropout in training and with `dropout`")
KEY(CONFIG, T5S, "layer_norm_epsilon", OBEYED, "", "epsilon of norms")
KEY(CONFIG, T5S, "feed_forward_proj", OBEYED, "", "relu, gated-gelu or gated-silu")
KEY(CONFIG, T5S, "dense_act_fn", OBEYED, "", "activation, in place of that of feed_forward_proj")
KEY(CONFIG, T5S, "is_gated_act", NO_EFFECT, "", "follows from the tensors")
KEY(CONFIG, "t5", "scale_decoder_outputs", OBEYED, "",
    "whether what enters the output matrix is scaled")
KEY(CONFIG, T5S, "n_positions", NO_EFFECT, "",
    "positions are relative; the tokenizer says where texts are cut")
KEY(CONFIG, T5S, "initializer_factor", NO_EFFECT, "", "of random weights")
KEY(CONFIG, T5S, "output_past", NO_EFFECT, "", "how transformers computes, not what")
KEY(CONFIG, "bert roberta xlm-roberta camembert xlm-roberta-xl electra", "classifier_dropout",
    OBEYED, "", "dropout before a head, in training")
KEY(CONFIG, SEQ2SEQ, "classifier_dropout", NO_EFFECT, "",
    "of a head over texts, which these families have not here")
KEY(CONFIG, LANGUAGE, "hidden_size", OBEYED, "", "width of the stack")
KEY(CONFIG, LANGUAGE, "num_hidden_layers", OBEYED, "", "number of blocks")
KEY(CONFIG, LANGUAGE, "num_attention_heads", OBEYED, "", "heads of the queries of an attention")
KEY(CONFIG, LANGUAGE, "num_key_value_heads", OBEYED, "",
    "heads of its keys and values; as many as of the queries where it is missing")
KEY(CONFIG, LANGUAGE, "head_dim", OBEYED, "", "components of a head")
KEY(CONFIG, LANGUAGE, "intermediate_size", OBEYED, "", "width of the feed-forward net")
KEY(CONFIG, LANGUAGE, "rms_norm_eps", OBEYED, "", "epsilon of norms")
KEY(CONFIG, LANGUAGE, "max_position_embeddings", OBEYED, "", "the longest input")
KEY(CONFIG, "llama mistral qwen2 qwen3", "hidden_act", OBEYED, "",
    "activation, as hidden_act of BERT")
KEY(CONFIG, "gemma3_text", "hidden_activation", OBEYED, "", "activation, as hidden_act of BERT")
KEY(CONFIG, "llama qwen3 gemma3_text", "attention_bias", OBEYED, "",
    "whether the projections of an attention have a bias")
KEY(CONFIG, "llama", "mlp_bias", OBEYED, "", "whether the feed-forward net has biases")
KEY(CONFIG, LANGUAGE, "rope_parameters", OBEYED, "",
    "rotary positions: default, linear, dynamic, llama3 or yarn; another rope_type is an error")
KEY(CONFIG, LANGUAGE, "rope_scaling", OBEYED, "", "the same in older folders")
KEY(CONFIG, LANGUAGE, "rope_theta", OBEYED, "", "base of rotary positions in older folders")
KEY(CONFIG, "gemma3_text", "rope_local_base_freq", OBEYED, "",
    "the same of the blocks with a window")
KEY(CONFIG, LANGUAGE, "original_max_position_embeddings", OBEYED, "",
    "as that of rope_parameters, before which it goes")
KEY(CONFIG, LANGUAGE, "partial_rotary_factor", REFUSED, "1", "all of a head is turned")
KEY(CONFIG, "mistral qwen2 qwen3 gemma3_text", "sliding_window", OBEYED, "",
    "tokens that a block with a window reads, its own included")
KEY(CONFIG, "qwen2 qwen3 gemma3_text", "layer_types", OBEYED, "",
    "which blocks have a window: full_attention or sliding_attention of each")
KEY(CONFIG, "qwen2 qwen3", "use_sliding_window", OBEYED, "",
    "whether blocks have a window where there are no layer_types")
KEY(CONFIG, "qwen2 qwen3", "max_window_layers", OBEYED, "", "the first block with one there")
KEY(CONFIG, "gemma3_text", "sliding_window_pattern", OBEYED, "",
    "blocks of a group whose last one has no window, where there are no layer_types; 6 where it is "
    "missing")
KEY(CONFIG, "gemma3_text", "_sliding_window_pattern", NO_EFFECT, "", "layer_types counts")
KEY(CONFIG, "gemma3_text", "query_pre_attn_scalar", OBEYED, "",
    "products of queries and keys are divided by its root")
KEY(CONFIG, "gemma3_text", "use_bidirectional_attention", OBEYED, "",
    "tokens attend to later ones too, as in EmbeddingGemma")
KEY(CONFIG, "gemma3_text", "final_logit_softcapping", REFUSED, "", "outputs are not capped")
KEY(CONFIG, "gemma3_text", "attn_logit_softcapping", REFUSED, "", "attention is not capped")
KEY(CONFIG, LANGUAGE, "pretraining_tp", NO_EFFECT, "", "how transformers computed, not what")
KEY(CONFIG, LANGUAGE, "bos_token_id", OBEYED, "",
    "is read before a text that is scored and does not begin with it; eos_token_id where it is "
    "missing")
KEY(CONFIG, LANGUAGE, "attention_dropout", OBEYED, "", "dropout of attention weights in training")
KEY(CONFIG, "model2vec", "normalize", OBEYED, "", "whether embeddings are divided by their length")
KEY(CONFIG, "model2vec", "max_length", OBEYED, "",
    "longest input in tokens, 512 where it is missing, no limit where it is null; and in "
    "characters: "
    "that many times the median length of the tokens")
KEY(CONFIG, "model2vec", "hidden_dim", NO_EFFECT, "", "the tensor has that many columns")
KEY(CONFIG, "model2vec", "embedding_dtype", NO_EFFECT, "", "the tensor has that type")
KEY(CONFIG, "model2vec", "vocabulary_quantization", NO_EFFECT, "",
    "the tensor has that many rows, and `mapping` says which is whose")
KEY(CONFIG, "model2vec", "seq_length", NO_EFFECT, "", "of older versions; max_length counts")
KEY(CONFIG, "model2vec", "apply_pca", NO_EFFECT, "", "how the table was made")
KEY(CONFIG, "model2vec", "apply_zipf", NO_EFFECT, "", "how the table was made")
KEY(CONFIG, "model2vec", "sif_coefficient", NO_EFFECT, "", "how the table was made")
KEY(CONFIG, "model2vec", "pooling", NO_EFFECT, "", "how the table was made")
KEY(CONFIG, "model2vec", "tokenizer_name", NO_EFFECT, "", "where the model came from")
KEY(CONFIG, "model2vec", "head_config", NO_EFFECT, "",
    "of a classifier behind the embeddings, which are made here")
KEY(CONFIG, ALL, "position_embedding_type", REFUSED, "\"absolute\"",
    "the engine has no other positions")
KEY(CONFIG, NATIVE, "auto_map", NO_EFFECT, "",
    "code of the folder, which does not run here: the model_type is computed, as transformers does "
    "without trust_remote_code")
KEY(CONFIG, "alcore_transformer model2vec", "auto_map", REFUSED, "",
    "the folder has code of its own, which does not run here")
KEY(CONFIG, ALL, "pruned_heads", REFUSED, "{}",
    "save the model with transformers once more: it then has the sizes of what is left")
KEY(CONFIG, ALL, "quantization_config", REFUSED, "", "save the model in float32 or bfloat16")
KEY(CONFIG, ALL, "adapters", REFUSED, "{}", "merge the adapters into the weights")
KEY(CONFIG, ALL, "cross_attention_hidden_size", REFUSED, "", "encoders read no other sequence")

/* ---- config.json: without effect ---- */
KEY(CONFIG, ALL, "dtype", NO_EFFECT, "",
    "of the stored weights; the option `dtype` says how it is computed")
KEY(CONFIG, ALL, "torch_dtype", NO_EFFECT, "", "the older name of dtype")
KEY(CONFIG, ALL, "label2id", NO_EFFECT, "", "id2label counts")
KEY(CONFIG, ALL, "num_labels", NO_EFFECT, "", "the tensor of the head has that many rows")
KEY(CONFIG, ALL, "_num_labels", NO_EFFECT, "", "the tensor of the head has that many rows")
KEY(CONFIG, ALL, "is_encoder_decoder", NO_EFFECT, "", "follows from the family")
KEY(CONFIG, SEQ2SEQ, "is_decoder", NO_EFFECT, "", "of one of the two stacks")
KEY(CONFIG, SEQ2SEQ, "add_cross_attention", NO_EFFECT, "", "decoders have one")
KEY(CONFIG, ALL, "initializer_range", NO_EFFECT, "", "of random weights")
KEY(CONFIG, ALL, "init_std", NO_EFFECT, "", "of random weights")
KEY(CONFIG, ALL, "encoder_layerdrop", NO_EFFECT, "",
    "blocks that a training by transformers skips; training here skips none")
KEY(CONFIG, ALL, "decoder_layerdrop", NO_EFFECT, "",
    "blocks that a training by transformers skips; training here skips none")
KEY(CONFIG, ALL, "layerdrop", NO_EFFECT, "",
    "blocks that a training by transformers skips; training here skips none")
KEY(CONFIG, ALL, "chunk_size_feed_forward", NO_EFFECT, "", "how transformers computes, not what")
KEY(CONFIG, ALL, "gradient_checkpointing", NO_EFFECT, "", "how transformers computes, not what")
KEY(CONFIG, ALL, "_attn_implementation", NO_EFFECT, "", "how transformers computes, not what")
KEY(CONFIG, ALL, "_attn_implementation_autoset", NO_EFFECT, "",
    "how transformers computes, not what")
KEY(CONFIG, ALL, "_attn_implementation_internal", NO_EFFECT, "",
    "how transformers computes, not what")
KEY(CONFIG, ALL, "_experts_implementation_internal", NO_EFFECT, "",
    "how transformers computes, not what")
KEY(CONFIG, ALL, "attn_implementation", NO_EFFECT, "", "how transformers computes, not what")
KEY(CONFIG, ALL, "_name_or_path", NO_EFFECT, "", "where the model came from")
KEY(CONFIG, ALL, "name_or_path", NO_EFFECT, "", "where the model came from")
KEY(CONFIG, ALL, "_commit_hash", NO_EFFECT, "", "where the model came from")
KEY(CONFIG, ALL, "finetuning_task", NO_EFFECT, "", "where the model came from")
KEY(CONFIG, ALL, "language", NO_EFFECT, "", "where the model came from")
KEY(CONFIG, ALL, "torchscript", NO_EFFECT, "", "how transformers computes, not what")
KEY(CONFIG, ALL, "use_bfloat16", NO_EFFECT, "", "how TensorFlow computes")
KEY(CONFIG, ALL, "tf_legacy_loss", NO_EFFECT, "", "of TensorFlow")
KEY(CONFIG, ALL, "return_dict", NO_EFFECT, "", "what a call of transformers returns")
KEY(CONFIG, ALL, "use_return_dict", NO_EFFECT, "", "what a call of transformers returns")
KEY(CONFIG, ALL, "sep_token_id", NO_EFFECT, "", "the tokenizer has the separator")
KEY(CONFIG, ALL, "tokenizer_class", NO_EFFECT, "",
    "tokenizer_config.json and the files of the tokenizer count")
KEY(CONFIG, ALL, "tokenizer_type", NO_EFFECT, "", "the files of the tokenizer count")
KEY(CONFIG, ALL, "task_specific_params", NO_EFFECT, "",
    "only pipelines of transformers of the tasks named there read it; give the prefix of a task as "
    "prompt")
KEY(CONFIG, ALL, "prefix", NO_EFFECT, "",
    "only pipelines of transformers read it; give it as prompt")
KEY(CONFIG, ALL, "sentence_transformers", OBEYED, "",
    "activation_fn of a CrossEncoder: Sigmoid or Identity, of several labels Softmax too; another "
    "is "
    "an error")
KEY(CONFIG, ALL, "sbert_ce_default_activation_function", OBEYED, "",
    "the same, as sentence-transformers before version 4 wrote it")
KEY(CONFIG, ALL, "matryoshka_dimensions", NO_EFFECT, "",
    "a list of choices; truncate_dim is the one that is made")
KEY(CONFIG, BERTS, "directionality", NO_EFFECT, "", "of old folders")
KEY(CONFIG, BERTS, "pooler_fc_size", NO_EFFECT, "", "of old folders")
KEY(CONFIG, BERTS, "pooler_num_attention_heads", NO_EFFECT, "", "of old folders")
KEY(CONFIG, BERTS, "pooler_num_fc_layers", NO_EFFECT, "", "of old folders")
KEY(CONFIG, BERTS, "pooler_size_per_head", NO_EFFECT, "", "of old folders")
KEY(CONFIG, BERTS, "pooler_type", NO_EFFECT, "", "of old folders")
KEY(CONFIG, BERTS, "output_past", NO_EFFECT, "", "how transformers computes, not what")
KEY(CONFIG, BARTS, "num_hidden_layers", NO_EFFECT, "", "encoder_layers and decoder_layers count")
KEY(CONFIG, BARTS, "add_bias_logits", NO_EFFECT, "", "follows from the tensors")
KEY(CONFIG, BARTS, "add_final_layer_norm", NO_EFFECT, "", "follows from the family")
KEY(CONFIG, BARTS, "normalize_before", NO_EFFECT, "", "follows from the family")
KEY(CONFIG, BARTS, "normalize_embedding", NO_EFFECT, "", "follows from the tensors")
KEY(CONFIG, BARTS, "static_position_embeddings", NO_EFFECT, "", "follows from the family")
KEY(CONFIG, BARTS, "extra_pos_embeddings", NO_EFFECT, "", "follows from the family")
KEY(CONFIG, BARTS, "classif_dropout", NO_EFFECT, "",
    "of a head over texts, which these families have not here")
KEY(CONFIG, BARTS, "force_bos_token_to_be_generated", OBEYED, "",
    "outputs begin with bos_token_id, where there is no generation_config.json")

/* ---- outputs: generation_config.json, and the same keys in config.json of older folders ---- */
KEY(CONFIG | GENERATION, ALL, "eos_token_id", OBEYED, "", "ends an output; one token or a list")
KEY(CONFIG | GENERATION, ALL, "bos_token_id", OBEYED, "",
    "starts outputs where decoder_start_token_id is missing")
KEY(GENERATION, ALL, "pad_token_id", OBEYED, "", "starts outputs where neither of these is there")
KEY(CONFIG | GENERATION, SEQ2SEQ, "decoder_start_token_id", OBEYED, "", "starts outputs")
KEY(CONFIG | GENERATION, SEQ2SEQ, "forced_bos_token_id", OBEYED, "", "first token of outputs")
KEY(CONFIG | GENERATION, SEQ2SEQ, "forced_eos_token_id", OBEYED, "",
    "last token of outputs that become as long as is allowed, or a list")
KEY(CONFIG | GENERATION, LANGUAGE, "max_length", OBEYED, "",
    "longest prompt and output together; outputs of 199 tokens where no file says one")
KEY(CONFIG | GENERATION, LANGUAGE, "min_length", REFUSED, "0",
    "it counts the prompt; give min_new_tokens")
KEY(CONFIG | GENERATION, LANGUAGE, "forced_bos_token_id", REFUSED, "",
    "outputs continue their prompts")
KEY(CONFIG | GENERATION, LANGUAGE, "forced_eos_token_id", REFUSED, "", "outputs end by themselves")
KEY(CONFIG | GENERATION, LANGUAGE, "decoder_start_token_id", NO_EFFECT, "",
    "outputs continue their prompts")
KEY(CONFIG | GENERATION, SEQ2SEQ, "max_length", OBEYED, "",
    "longest output, its first token included; 200 where no file says one")
KEY(CONFIG | GENERATION, OUTPUTS, "num_beams", OBEYED, "",
    "hypotheses of the search in a translation")
KEY(CONFIG | GENERATION, OUTPUTS, "length_penalty", OBEYED, "", "of the search in a translation")
KEY(CONFIG | GENERATION, OUTPUTS, "early_stopping", OBEYED, "",
    "when the search of a text ends: true, false or \"never\"")
KEY(CONFIG | GENERATION, OUTPUTS, "renormalize_logits", OBEYED, "",
    "scores of hypotheses are normalized after the other settings")
KEY(CONFIG | GENERATION, OUTPUTS, "bad_words_ids", OBEYED, "",
    "tokens and sequences of tokens that no output has")
KEY(CONFIG | GENERATION, OUTPUTS, "max_new_tokens", OBEYED, "",
    "longest output; counts before max_length")
KEY(CONFIG | GENERATION, SEQ2SEQ, "min_length", OBEYED, "",
    "no output ends before it, its first token included")
KEY(CONFIG | GENERATION, OUTPUTS, "min_new_tokens", OBEYED, "",
    "no output ends before it; counts before min_length")
KEY(CONFIG | GENERATION, OUTPUTS, "do_sample", OBEYED, "",
    "a translation that names neither beams nor samples is refused")
KEY(CONFIG | GENERATION, OUTPUTS, "num_beam_groups", REFUSED, "1", "")
KEY(CONFIG | GENERATION, OUTPUTS, "diversity_penalty", REFUSED, "0", "")
KEY(CONFIG | GENERATION, OUTPUTS, "repetition_penalty", OBEYED, "",
    "factor of scores of tokens that the output has")
KEY(CONFIG | GENERATION, OUTPUTS, "encoder_repetition_penalty", OBEYED, "",
    "factor of scores of tokens of the source")
KEY(CONFIG | GENERATION, OUTPUTS, "no_repeat_ngram_size", OBEYED, "",
    "n-grams that no output has twice")
KEY(CONFIG | GENERATION, OUTPUTS, "encoder_no_repeat_ngram_size", OBEYED, "",
    "n-grams of the source that no output has")
KEY(CONFIG | GENERATION, OUTPUTS, "suppress_tokens", OBEYED, "", "tokens that no output has")
KEY(CONFIG | GENERATION, OUTPUTS, "begin_suppress_tokens", OBEYED, "",
    "tokens that no output begins with")
KEY(CONFIG | GENERATION, OUTPUTS, "exponential_decay_length_penalty", OBEYED, "",
    "raises the scores of end tokens of long outputs")
KEY(CONFIG | GENERATION, OUTPUTS, "sequence_bias", OBEYED, "",
    "added to scores of tokens and of sequences of tokens")
KEY(CONFIG | GENERATION, OUTPUTS, "force_words_ids", REFUSED, "[]", "")
KEY(CONFIG | GENERATION, OUTPUTS, "forced_decoder_ids", REFUSED, "[]", "")
KEY(CONFIG | GENERATION, OUTPUTS, "constraints", REFUSED, "[]", "")
KEY(CONFIG | GENERATION, OUTPUTS, "penalty_alpha", REFUSED, "0", "")
KEY(CONFIG | GENERATION, OUTPUTS, "dola_layers", REFUSED, "", "")
KEY(CONFIG | GENERATION, OUTPUTS, "guidance_scale", REFUSED, "1", "")
KEY(CONFIG | GENERATION, OUTPUTS, "watermarking_config", REFUSED, "", "")
KEY(CONFIG | GENERATION, OUTPUTS, "stop_strings", REFUSED, "[]", "")
KEY(CONFIG | GENERATION, OUTPUTS, "max_time", REFUSED, "",
    "the clock would decide what an output is")
KEY(CONFIG | GENERATION, OUTPUTS, "token_healing", REFUSED, "false", "")
KEY(CONFIG | GENERATION, OUTPUTS, "temperature", OBEYED, "",
    "of samples; that of the call counts first")
KEY(CONFIG | GENERATION, OUTPUTS, "top_k", OBEYED, "",
    "samples are drawn from this many of the likeliest tokens; from all where it is missing")
KEY(CONFIG | GENERATION, OUTPUTS, "top_p", OBEYED, "",
    "samples are drawn from the likeliest tokens whose probabilities sum to this")
KEY(CONFIG | GENERATION, OUTPUTS, "min_p", OBEYED, "",
    "samples are drawn from tokens with at least this share of the likeliest one's probability")
KEY(CONFIG | GENERATION, OUTPUTS, "top_h", OBEYED, "",
    "of samples, which are refused with it; a search does not read it")
KEY(CONFIG | GENERATION, OUTPUTS, "typical_p", OBEYED, "",
    "of samples, which are refused with it; a search does not read it")
KEY(CONFIG | GENERATION, OUTPUTS, "epsilon_cutoff", OBEYED, "",
    "of samples, which are refused with it; a search does not read it")
KEY(CONFIG | GENERATION, OUTPUTS, "eta_cutoff", OBEYED, "",
    "of samples, which are refused with it; a search does not read it")
KEY(CONFIG | GENERATION, OUTPUTS, "remove_invalid_values", NO_EFFECT, "",
    "outputs of such logits are an error here")
KEY(CONFIG | GENERATION, OUTPUTS, "num_return_sequences", NO_EFFECT, "",
    "the call says how many outputs it wants")
KEY(CONFIG | GENERATION, ALL, "output_attentions", NO_EFFECT, "",
    "what a call of transformers returns")
KEY(CONFIG, ALL, "output_hidden_states", OBEYED, "",
    "whether a WeightedLayerPooling has an effect, as with the package; nothing else")
KEY(GENERATION, ALL, "output_hidden_states", NO_EFFECT, "", "what a call of transformers returns")
KEY(CONFIG | GENERATION, ALL, "output_scores", NO_EFFECT, "", "what a call of transformers returns")
KEY(CONFIG | GENERATION, ALL, "output_logits", NO_EFFECT, "", "what a call of transformers returns")
KEY(CONFIG | GENERATION, ALL, "return_dict_in_generate", NO_EFFECT, "",
    "what a call of transformers returns")
KEY(CONFIG | GENERATION, ALL, "use_cache", NO_EFFECT, "", "how transformers computes, not what")
KEY(GENERATION, ALL, "cache_implementation", NO_EFFECT, "", "how transformers computes, not what")
KEY(GENERATION, ALL, "cache_config", NO_EFFECT, "", "how transformers computes, not what")
KEY(GENERATION, ALL, "max_cache_len", NO_EFFECT, "", "how transformers computes, not what")
KEY(GENERATION, ALL, "low_memory", NO_EFFECT, "", "how transformers computes, not what")
KEY(GENERATION, ALL, "compile_config", NO_EFFECT, "", "how transformers computes, not what")
KEY(GENERATION, ALL, "disable_compile", NO_EFFECT, "", "how transformers computes, not what")
KEY(GENERATION, ALL, "continuous_batching_config", NO_EFFECT, "",
    "how transformers computes, not what")
KEY(GENERATION, ALL, "prefill_chunk_size", NO_EFFECT, "", "how transformers computes, not what")
KEY(GENERATION, ALL, "use_mtp", NO_EFFECT, "", "how transformers computes, not what")
KEY(GENERATION, ALL, "is_assistant", NO_EFFECT, "", "of drafts by a second model")
KEY(GENERATION, ALL, "num_assistant_tokens", NO_EFFECT, "", "of drafts by a second model")
KEY(GENERATION, ALL, "num_assistant_tokens_schedule", NO_EFFECT, "", "of drafts by a second model")
KEY(GENERATION, ALL, "assistant_confidence_threshold", NO_EFFECT, "", "of drafts by a second model")
KEY(GENERATION, ALL, "assistant_early_exit", NO_EFFECT, "", "of drafts by a second model")
KEY(GENERATION, ALL, "assistant_lookbehind", NO_EFFECT, "", "of drafts by a second model")
KEY(GENERATION, ALL, "assistant_ensemble_weight", NO_EFFECT, "", "of drafts by a second model")
KEY(GENERATION, ALL, "target_lookbehind", NO_EFFECT, "", "of drafts by a second model")
KEY(GENERATION, ALL, "prompt_lookup_num_tokens", NO_EFFECT, "",
    "of drafts from the source, which change no output")
KEY(GENERATION, ALL, "max_matching_ngram_size", NO_EFFECT, "",
    "of drafts from the source, which change no output")
KEY(GENERATION, ALL, "speculation_type", NO_EFFECT, "", "of drafts, which change no output")
KEY(GENERATION, ALL, "_from_model_config", NO_EFFECT, "", "where the file came from")
KEY(CONFIG | GENERATION, ALL, "transformers_version", NO_EFFECT, "", "who wrote the file")

/* ---- tokenizer_config.json ---- */
KEY(TOKENIZER, ALL, "model_max_length", OBEYED, "",
    "longest input in tokens, special tokens included; above 1e20 there is no limit")
KEY(TOKENIZER, ALL, "max_len", OBEYED, "", "the older name of model_max_length")
KEY(TOKENIZER, ALL, "truncation_side", REFUSED, "\"right\"", "texts are cut at their end")
KEY(TOKENIZER, ALL, "tokenizer_class", OBEYED, "",
    "how files of sentencepiece are read, and what goes before tokenizer.json, as the classes of "
    "transformers 5 have it")
KEY(TOKENIZER, ALL, "do_lower_case", OBEYED, "",
    "of BERT's classes, where it goes before tokenizer.json, and of a vocab.txt; true where it is "
    "missing. RemBERT's is refused")
KEY(TOKENIZER, ALL, "strip_accents", OBEYED, "", "the same; as do_lower_case where it is missing")
KEY(TOKENIZER, ALL, "tokenize_chinese_chars", OBEYED, "",
    "of BERT's classes and of a vocab.txt; true where it is missing")
KEY(TOKENIZER, ALL, "src_lang", OBEYED, "", "language of sources")
KEY(TOKENIZER, ALL, "tgt_lang", OBEYED, "", "language of outputs")
KEY(TOKENIZER, ALL, "additional_special_tokens", OBEYED, "",
    "languages of mBART and NLLB; another token must be in tokenizer.json")
KEY(TOKENIZER, ALL, "extra_special_tokens", OBEYED, "",
    "languages of mBART and NLLB; another token must be in tokenizer.json")
KEY(TOKENIZER, ALL, "unk_token", OBEYED, "", "of a vocab.txt")
KEY(TOKENIZER, ALL, "cls_token", OBEYED, "",
    "around a text: of the classes of BERT, RoBERTa and RemBERT, and of a vocab.txt")
KEY(TOKENIZER, ALL, "sep_token", OBEYED, "",
    "around a text: of the classes of BERT, RoBERTa and RemBERT, and of a vocab.txt")
KEY(TOKENIZER, ALL, "mask_token", OBEYED, "", "of a vocab.txt")
KEY(TOKENIZER, ALL, "pad_token", NO_EFFECT, "", "nothing is padded that a value is made of")
KEY(TOKENIZER, ALL, "bos_token", OBEYED, "", "around a text: of the class of XLM-R")
KEY(TOKENIZER, ALL, "eos_token", OBEYED, "", "around a text: of the class of XLM-R")
KEY(TOKENIZER, ALL, "added_tokens_decoder", NO_EFFECT, "", "the files of the tokenizer count")
KEY(TOKENIZER, ALL, "added_tokens", NO_EFFECT, "", "the files of the tokenizer count")
KEY(TOKENIZER, ALL, "add_prefix_space", OBEYED, "",
    "of the classes of RoBERTa and BART (false where it is missing), XLM-R and RemBERT (true)")
KEY(TOKENIZER, ALL, "trim_offsets", OBEYED, "",
    "places of tokens of the classes of RoBERTa and BART")
KEY(TOKENIZER, ALL, "errors", NO_EFFECT, "", "of outputs that are no UTF-8")
KEY(TOKENIZER, ALL, "clean_up_tokenization_spaces", NO_EFFECT, "", "of outputs")
KEY(TOKENIZER, ALL, "do_basic_tokenize", REFUSED, "true",
    "texts are divided at white space and punctuation first")
KEY(TOKENIZER, ALL, "never_split", REFUSED, "[]", "add the tokens to tokenizer.json")
KEY(TOKENIZER, ALL, "add_bos_token", NO_EFFECT, "", "tokenizer.json counts")
KEY(TOKENIZER, ALL, "add_eos_token", NO_EFFECT, "", "tokenizer.json counts")
KEY(TOKENIZER, ALL, "legacy", NO_EFFECT, "", "tokenizer.json counts")
KEY(TOKENIZER, ALL, "legacy_behaviour", NO_EFFECT, "", "tokenizer.json counts")
KEY(TOKENIZER, ALL, "extra_ids", NO_EFFECT, "", "the files of the tokenizer count")
KEY(TOKENIZER, ALL, "sp_model_kwargs", REFUSED, "{}", "no subwords are drawn at random")
KEY(TOKENIZER, ALL, "keep_accents", OBEYED, "", "of RemBERT, where false is refused")
KEY(TOKENIZER, ALL, "remove_space", NO_EFFECT, "", "the files of the tokenizer count")
KEY(TOKENIZER, ALL, "split_special_tokens", REFUSED, "false",
    "special tokens in a text are found as a whole")
KEY(TOKENIZER, ALL, "language_codes", NO_EFFECT, "", "the files of the tokenizer count")
KEY(TOKENIZER, ALL, "num_madeup_words", NO_EFFECT, "", "the files of the tokenizer count")
KEY(TOKENIZER, ALL, "source_lang", NO_EFFECT, "", "of Marian; the files of the tokenizer count")
KEY(TOKENIZER, ALL, "target_lang", NO_EFFECT, "", "of Marian; the files of the tokenizer count")
KEY(TOKENIZER, ALL, "separate_vocabs", NO_EFFECT, "", "of Marian; the files of the tokenizer count")
KEY(TOKENIZER, ALL, "max_length", NO_EFFECT, "",
    "of a call of transformers that is kept there; model_max_length counts")
KEY(TOKENIZER, ALL, "stride", NO_EFFECT, "", "of a call of transformers that is kept there")
KEY(TOKENIZER, ALL, "truncation_strategy", NO_EFFECT, "",
    "of a call of transformers that is kept there")
KEY(TOKENIZER, ALL, "truncation", NO_EFFECT, "", "of a call of transformers that is kept there")
KEY(TOKENIZER, ALL, "padding", NO_EFFECT, "", "of a call of transformers that is kept there")
KEY(TOKENIZER, ALL, "padding_side", NO_EFFECT, "", "nothing is padded that a value is made of")
KEY(TOKENIZER, ALL, "pad_to_multiple_of", NO_EFFECT, "",
    "nothing is padded that a value is made of")
KEY(TOKENIZER, ALL, "pad_token_type_id", NO_EFFECT, "", "nothing is padded that a value is made of")
KEY(TOKENIZER, ALL, "model_input_names", NO_EFFECT, "", "what a call of transformers returns")
KEY(TOKENIZER, ALL, "return_tensors", NO_EFFECT, "", "what a call of transformers returns")
KEY(TOKENIZER, ALL, "return_token_type_ids", NO_EFFECT, "", "what a call of transformers returns")
KEY(TOKENIZER, ALL, "chat_template", NO_EFFECT, "", "of conversations, unless a chat is asked for")
KEY(TOKENIZER, ALL, "backend", NO_EFFECT, "", "how transformers computes, not what")
KEY(TOKENIZER, ALL, "use_fast", NO_EFFECT, "", "how transformers computes, not what")
KEY(TOKENIZER, ALL, "from_slow", NO_EFFECT, "", "how transformers computes, not what")
KEY(TOKENIZER, ALL, "is_local", NO_EFFECT, "", "where the tokenizer came from")
KEY(TOKENIZER, ALL, "local_files_only", NO_EFFECT, "", "where the tokenizer came from")
KEY(TOKENIZER, ALL, "name_or_path", NO_EFFECT, "", "where the tokenizer came from")
KEY(TOKENIZER, ALL, "special_tokens_map_file", NO_EFFECT, "", "where the tokenizer came from")
KEY(TOKENIZER, ALL, "tokenizer_file", NO_EFFECT, "", "where the tokenizer came from")
KEY(TOKENIZER, ALL, "vocab_file", NO_EFFECT, "", "where the tokenizer came from")
KEY(TOKENIZER, ALL, "full_tokenizer_file", NO_EFFECT, "", "where the tokenizer came from")
KEY(TOKENIZER, ALL, "_commit_hash", NO_EFFECT, "", "where the tokenizer came from")
KEY(TOKENIZER, ALL, "processor_class", NO_EFFECT, "", "of images and sounds")
KEY(TOKENIZER, ALL, "transformers_version", NO_EFFECT, "", "who wrote the file")
KEY(TOKENIZER, "eurobert llama", "auto_map", OBEYED, "",
    "the tokenizer has code of its own, which does not run here: refused, as by transformers "
    "without trust_remote_code, but where tokenizer_class is PreTrainedTokenizer, "
    "TokenizersBackend or PythonBackend, by which tokenizer.json says all, or a class of the "
    "families here (LlamaTokenizer, Qwen2Tokenizer, GPT2Tokenizer, GemmaTokenizer, BertTokenizer, "
    "...), each with Fast behind it or without")
KEY(TOKENIZER, "alcore_transformer", "auto_map", REFUSED, "",
    "the tokenizer has code of its own, which does not run here; without the key the files are "
    "read")
KEY(TOKENIZER,
    BERTS " modernbert nomic_bert deberta-v2 distilbert bart mbart marian m2m_100 " T5S
          " mistral qwen2 qwen3 gemma3_text",
    "auto_map", NO_EFFECT, "",
    "code of the folder, which does not run here: the files are read, as transformers does without "
    "trust_remote_code")
KEY(TOKENIZER, ALL, "init_inputs", REFUSED, "[]", "")
KEY(TOKENIZER, ALL, "model_specific_special_tokens", NO_EFFECT, "",
    "the files of the tokenizer count")

/* ---- sentence-transformers ---- */
KEY(SENTENCE, ALL, "max_seq_length", OBEYED, "",
    "longest input in tokens, in place of model_max_length")
KEY(SENTENCE, ALL, "do_lower_case", OBEYED, "", "texts are lower-cased first")
KEY(SENTENCE, ALL, "transformer_task", REFUSED,
    "\"feature-extraction\"|\"sequence-classification\"", "embeddings are made of hidden states")
KEY(SENTENCE, ALL, "modality_config", REFUSED,
    "{\"text\": {\"method\": \"forward\", \"method_output_name\": "
    "\"last_hidden_state\"}}|{\"text\": {\"method\": \"forward\", \"method_output_name\": "
    "\"logits\"}}",
    "embeddings are made of the last hidden states of texts")
KEY(SENTENCE, ALL, "module_output_name", REFUSED, "\"token_embeddings\"|\"scores\"",
    "the transformer gives vectors of tokens to the pooling")
KEY(SENTENCE, ALL, "processing_kwargs", REFUSED, "{}",
    "write model_max_length into tokenizer_config.json for another limit")
KEY(SENTENCE, ALL, "unpad_inputs", NO_EFFECT, "", "how transformers computes, not what")
KEY(SENTENCE, ALL, "query_length", REFUSED, "", "of models with a vector for each token")
KEY(SENTENCE, ALL, "document_length", REFUSED, "", "of models with a vector for each token")
KEY(SENTENCE, ALL, "query_expansion", REFUSED, "", "of models with a vector for each token")
KEY(SENTENCE, ALL, "model_args", NO_EFFECT, "", "how transformers opens the folder")
KEY(SENTENCE, ALL, "tokenizer_args", REFUSED, "{}", "write its settings into tokenizer_config.json")
KEY(SENTENCE, ALL, "config_args", REFUSED, "{}", "write its settings into config.json")
KEY(PROMPTS, ALL, "prompts", OBEYED, "", "names and texts; the option `prompt` chooses one")
KEY(PROMPTS, ALL, "default_prompt_name", OBEYED, "", "the prompt of calls that choose none")
KEY(PROMPTS, ALL, "truncate_dim", OBEYED, "", "components of an embedding that are kept")
KEY(PROMPTS, ALL, "similarity_fn_name", NO_EFFECT, "", "the strategy says how vectors are compared")
KEY(PROMPTS, ALL, "model_type", REFUSED, "\"SentenceTransformer\"|\"CrossEncoder\"",
    "the folder of another kind of model of sentence-transformers")
KEY(PROMPTS, ALL, "__version__", NO_EFFECT, "", "who wrote the file")
KEY(MODULES, ALL, "idx", NO_EFFECT, "", "modules run in the order of the list")
KEY(MODULES, ALL, "name", NO_EFFECT, "", "a name")
KEY(MODULES, ALL, "path", OBEYED, "", "the folder of the module")
KEY(MODULES, ALL, "type", OBEYED, "",
    "Transformer, WeightedLayerPooling, CNN, Pooling, Dense, LayerNorm, Dropout and Normalize, or "
    "StaticEmbedding, Dense and Normalize, or a Router of such; another is an error")
KEY(MODULES, ALL, "kwargs", REFUSED, "[]", "they are arguments of calls of the package")
KEY(POOLING, ALL, "pooling_mode", OBEYED, "",
    "a mode, or a list of modes whose vectors stand side by side; another is an error")
KEY(POOLING, ALL, "pooling_mode_cls_token", OBEYED, "", "older folders: the mode cls")
KEY(POOLING, ALL, "pooling_mode_mean_tokens", OBEYED, "", "older folders: the mode mean")
KEY(POOLING, ALL, "pooling_mode_max_tokens", OBEYED, "", "older folders: the mode max")
KEY(POOLING, ALL, "pooling_mode_mean_sqrt_len_tokens", OBEYED, "",
    "older folders: the mode mean_sqrt_len_tokens")
KEY(POOLING, ALL, "pooling_mode_weightedmean_tokens", OBEYED, "",
    "older folders: the mode weightedmean")
KEY(POOLING, ALL, "pooling_mode_lasttoken", OBEYED, "", "older folders: the mode lasttoken")
KEY(POOLING, ALL, "include_prompt", OBEYED, "",
    "false: tokens of the prompt are left out of the pooling")
KEY(POOLING, ALL, "embedding_dimension", NO_EFFECT, "", "the width of the stack")
KEY(POOLING, ALL, "word_embedding_dimension", NO_EFFECT, "", "the width of the stack")
KEY(NORMALIZE, ALL, "module_input_name", REFUSED, "\"sentence_embedding\"",
    "embeddings of texts are normalized")
KEY(NORMALIZE, ALL, "module_output_name", REFUSED, "\"sentence_embedding\"",
    "embeddings of texts are normalized")
KEY(DENSE, ALL, "in_features", OBEYED, "", "components that it takes; another number is an error")
KEY(DENSE, ALL, "out_features", OBEYED, "", "components that it gives; another number is an error")
KEY(DENSE, ALL, "bias", OBEYED, "", "whether linear.bias is added")
KEY(DENSE, ALL, "activation_function", OBEYED, "",
    "of torch.nn: Tanh, which counts where it is missing, Identity, ReLU, GELU, SiLU or Sigmoid; "
    "another is an error")
KEY(DENSE, ALL, "use_residual", OBEYED, "",
    "whether its input, or residual.weight times that, is added to its output")
KEY(DENSE, ALL, "module_input_name", REFUSED, "\"sentence_embedding\"",
    "embeddings of texts are transformed")
KEY(DENSE, ALL, "module_output_name", REFUSED, "\"sentence_embedding\"",
    "embeddings of texts are transformed")
KEY(LAYER_NORM, ALL, "dimension", OBEYED, "", "width of what it reads; another number is an error")
KEY(DROPOUT, ALL, "dropout", NO_EFFECT, "", "of a training by the package")
KEY(CNN, ALL, "in_embedding_dimension", OBEYED, "",
    "width of what it reads; another number is an error")
KEY(CNN, ALL, "in_word_embedding_dimension", OBEYED, "", "the same in older folders")
KEY(CNN, ALL, "out_channels", OBEYED, "", "components that each kernel gives")
KEY(CNN, ALL, "kernel_sizes", OBEYED, "",
    "tokens that each kernel reads; an even number is an error")
KEY(CNN, ALL, "stride_sizes", OBEYED, "", "steps of the kernels; another than 1 is an error")
KEY(WEIGHTED_LAYERS, ALL, "embedding_dimension", NO_EFFECT, "", "the width of the stack")
KEY(WEIGHTED_LAYERS, ALL, "word_embedding_dimension", NO_EFFECT, "", "the width of the stack")
KEY(WEIGHTED_LAYERS, ALL, "layer_start", OBEYED, "", "the first layer that counts")
KEY(WEIGHTED_LAYERS, ALL, "num_hidden_layers", OBEYED, "",
    "number of blocks; another number is an error")
KEY(ROUTER, ALL, "types", OBEYED, "", "the classes of the modules")
KEY(ROUTER, ALL, "structure", OBEYED, "", "the modules of each route")
KEY(ROUTER, ALL, "parameters", OBEYED, "", "how the route is chosen:")
KEY(ROUTES, ALL, "default_route", OBEYED, "", "the route where no name is asked for")
KEY(ROUTES, ALL, "allow_empty_key", OBEYED, "",
    "whether the first route is the default where none is named")
KEY(ROUTES, ALL, "route_mappings", OBEYED, "", "routes by task and by the kind of the input, text")
KEY(PROMPTS, ALL, "requirements", NO_EFFECT, "", "versions of packages")
KEY(PROMPTS, ALL, "activation_fn", OBEYED, "",
    "of a CrossEncoder with one label, before that of config.json")
KEY(SENTENCE, ALL, "model_kwargs", NO_EFFECT, "", "how transformers opens the folder")
KEY(SENTENCE, ALL, "processor_kwargs", REFUSED, "{}",
    "write its settings into tokenizer_config.json")
KEY(SENTENCE, ALL, "config_kwargs", REFUSED, "{}", "write its settings into config.json")
