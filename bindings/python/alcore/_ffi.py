# SPDX-License-Identifier: Apache-2.0
# Made by bindings/gen/generate.py from the public headers; do not edit.
"""Constants, structs and prototypes of libalcore."""
from ctypes import CFUNCTYPE, Structure, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_uint16, c_uint32, c_uint64, c_uint8, c_void_p

ABI = 1

ALCORE_OK = 0
ALCORE_E_INVALID = -10
ALCORE_E_PARAM = -11
ALCORE_E_STRUCT_SIZE = -12
ALCORE_E_STRUCT_NEWER = -13
ALCORE_E_STRUCT_UNSET = -14
ALCORE_E_DATA = -20
ALCORE_E_SHAPE = -21
ALCORE_E_MISSING = -22
ALCORE_E_NOT_FOUND = -23
ALCORE_E_NOMEM = -30
ALCORE_E_IO = -40
ALCORE_E_CORRUPT = -41
ALCORE_E_EXISTS = -42
ALCORE_E_UNSUPPORTED = -50
ALCORE_E_MODULE = -51
ALCORE_E_BUSY = -60
ALCORE_E_FORKED = -61
ALCORE_E_CANCELLED = -62
ALCORE_E_CALLBACK = -70
ALCORE_E_INTERNAL = -90
ALCORE_LOG_DEBUG = 10
ALCORE_LOG_INFO = 20
ALCORE_LOG_WARN = 30
ALCORE_LOG_ERROR = 40
ALCORE_FILE_READ = 301
ALCORE_FILE_CREATE = 302
ALCORE_KIND_INT = 0
ALCORE_KIND_UINT = 1
ALCORE_KIND_FLOAT = 2
ALCORE_KIND_BFLOAT = 4
ALCORE_DEVICE_CPU = 1
ALCORE_DEVICE_CUDA = 2
ALCORE_DEVICE_CUDA_HOST = 3
ALCORE_DEVICE_CUDA_MANAGED = 13
ALCORE_FLOAT16 = 101
ALCORE_BFLOAT16 = 102
ALCORE_FLOAT32 = 103
ALCORE_FLOAT64 = 104
ALCORE_INT32 = 105
ALCORE_INT64 = 106
ALCORE_UINT64 = 107
ALCORE_UINT8 = 108
ALCORE_TEXT = 109
ALCORE_FORMAT_TEXT = 401
ALCORE_FORMAT_TSV = 402
ALCORE_FORMAT_JSONL = 403
ALCORE_FORMAT_CSV = 404
ALCORE_FORMAT_NPY = 405
ALCORE_FORMAT_LP = 406
ALCORE_FORMAT_CONLL = 407
ALCORE_FORMAT_SGML = 408
ALCORE_BAD_LINES_ERROR = 501
ALCORE_BAD_LINES_MASK = 502
ALCORE_ESCAPES_ON = 601
ALCORE_ESCAPES_OFF = 602
ALCORE_JOIN_LINE = 701
ALCORE_JOIN_ID = 702
ALCORE_PARAM_FLAG = 801
ALCORE_PARAM_INTEGER = 802
ALCORE_PARAM_NUMBER = 803
ALCORE_PARAM_CHOICE = 804
ALCORE_PARAM_NUMBERS = 805
ALCORE_PARAM_TEXT = 806
ALCORE_HINT_STRATEGY = 8192
ALCORE_HINT_METRIC = 16384
ALCORE_HINT_OPTION = 32768
ALCORE_DEDUP_EXACT = 1001
ALCORE_DEDUP_NORMALIZED = 1002
ALCORE_DEDUP_NONE = 1003
ALCORE_UTF8_REFUSE = 1101
ALCORE_UTF8_REPLACE = 1102
ALCORE_ROW_EMPTY = 65536
ALCORE_ROW_DUPLICATE = 131072
ALCORE_ROW_LABELED = 262144
ALCORE_ROW_EXCLUDED = 524288
ALCORE_ROW_FILTERED = 1048576
ALCORE_ROW_NAN = 2097152
ALCORE_ROW_INELIGIBLE = 4194304
ALCORE_ROW_KNOWN = 8388608
ALCORE_ROW_MISSING = 16777216
ALCORE_ROW_MALFORMED = 33554432
ALCORE_IDS_UNIQUE = 1201
ALCORE_IDS_PER_CALL = 1202
ALCORE_IDS_ANY = 1203
ALCORE_KEEP = 1301
ALCORE_BORROW = 1302
ALCORE_MEANS_UNCERTAINTY = 1401
ALCORE_MEANS_CONFIDENCE = 1402
ALCORE_MEANS_LOGPROB = 1403
ALCORE_MEANS_PROBS = 1404
ALCORE_MEANS_LOGPROBS = 1405
ALCORE_MEANS_LOGITS = 1406
ALCORE_MEANS_SIGMOID = 1407
ALCORE_MEANS_MULTILABEL = 1408
ALCORE_COLUMN_SCALAR = 1501
ALCORE_COLUMN_DENSE = 1502
ALCORE_COLUMN_RAGGED = 1503
ALCORE_COLUMN_RAGGED_DENSE = 1504
ALCORE_MISSING_FAIL = 1601
ALCORE_MISSING_MASK = 1602
ALCORE_PHRASE_WORDS_MAX = 64
ALCORE_PHRASE_UNLIMITED = -1
ALCORE_UNIT_ITEMS = 2501
ALCORE_UNIT_WORDS = 2502
ALCORE_UNIT_CHARACTERS = 2503
ALCORE_UNIT_UNITS = 2504
ALCORE_REMEDY_OPTION = 2101
ALCORE_REMEDY_PARAMETER = 2102
ALCORE_REMEDY_POOL = 2103
ALCORE_REMEDY_COLUMN = 2104
ALCORE_REMEDY_STRATEGY = 2105
ALCORE_REMEDY_MEANING = 2106
ALCORE_REMEDY_MODEL = 2107
ALCORE_REMEDY_TORCH = 2108
ALCORE_KNN_MAX = 1024
ALCORE_METRIC_L2 = 2201
ALCORE_METRIC_DOT = 2202
ALCORE_METRIC_COSINE = 2203
ALCORE_REST_ONE_CLASS = 2601
ALCORE_REST_UNIFORM = 2602
ALCORE_POOLING_MEAN = 2301
ALCORE_POOLING_FIRST = 2302
ALCORE_POOLING_POOLER = 2303
ALCORE_POOLING_WORDS = 2304
ALCORE_POOLING_MAX = 2305
ALCORE_NORMALIZE_UNIT = 2401
ALCORE_NORMALIZE_NONE = 2402
ALCORE_ROLE_CANDIDATES = 1701
ALCORE_ROLE_LABELED = 1702
ALCORE_ROLE_TARGET = 1703
ALCORE_ROLE_LABELED_ROWS = 1704
ALCORE_ROLE_EXCLUDED = 1705
ALCORE_SELECTION_SHORT = 4
ALCORE_SELECTION_BUILT_IN = 8
ALCORE_SCOPE_PICKS = 1901
ALCORE_SCOPE_CANDIDATES = 1902
ALCORE_REPORT_MARKDOWN = 2001
ALCORE_REPORT_JSON = 2002
ALCORE_REPORT_HTML = 2003
ALCORE_ROWS_ELIGIBLE = 1801
ALCORE_ROWS_EXCLUDED = 1802
ALCORE_ROWS_LABELED = 1803
ALCORE_ROWS_LIKE = 1804
ALCORE_SCHEDULE_CONSTANT = 5001
ALCORE_SCHEDULE_LINEAR = 5002
ALCORE_SCHEDULE_INVERSE_SQRT = 5003
ALCORE_SCHEDULE_COSINE = 5004
ALCORE_OPTIMIZER_ADAMW = 5101
ALCORE_OPTIMIZER_ADAM = 5102
ALCORE_PRECISION_FLOAT32 = 5201
ALCORE_PRECISION_BFLOAT16 = 5202
ALCORE_PRECISION_FLOAT16 = 5203
ALCORE_VALIDATE_LOSS = 5301
ALCORE_VALIDATE_BLEU = 5302
ALCORE_VALIDATE_ACCURACY = 5303
ALCORE_VALIDATE_EXACT_MATCH = 5304
ALCORE_VALIDATE_F1 = 5305
ALCORE_VALIDATE_SPAN_F1 = 5306
ALCORE_VALIDATE_STRICT_SPAN_F1 = 5307
ALCORE_DIRECTION_FORWARD = 5401
ALCORE_DIRECTION_REVERSE = 5402
ALCORE_ALIGNER_DIAGONAL = 5501
ALCORE_ALIGNER_IBM1 = 5502
ALCORE_ESTIMATE_BAYES = 5601
ALCORE_ESTIMATE_COUNTS = 5602
ALCORE_TENSION_OFF = 5701
ALCORE_TENSION_GRADIENT = 5702
ALCORE_TENSION_PUBLIC = 5703
ALCORE_NGRAM_ORDER_MAX = 16
ALCORE_OVERLAP_SELECTED = 268435456
ALCORE_OVERLAP_OUTSIDE = 536870912
ALCORE_OVERLAP_TEST = 1073741824
ALCORE_OVERLAP_BOTH = 805306368
ALCORE_SIDE_SOURCE = 6301
ALCORE_SIDE_TARGET = 6302
ALCORE_IN_DOMAIN_TEST = 6401
ALCORE_IN_DOMAIN_UNSEEN = 6402
ALCORE_BLEU_13A = 5901
ALCORE_BLEU_INTL = 5902
ALCORE_BLEU_CHAR = 5903
ALCORE_BLEU_ZH = 5904
ALCORE_BLEU_NONE = 5905
ALCORE_BLEU_SMOOTH_EXP = 6001
ALCORE_BLEU_SMOOTH_FLOOR = 6002
ALCORE_BLEU_SMOOTH_ADD_K = 6003
ALCORE_BLEU_SMOOTH_NONE = 6004
ALCORE_TAGS_DEFAULT = 6101
ALCORE_TAGS_IOB2 = 6102
ALCORE_TAGS_IOB1 = 6103
ALCORE_TAGS_IOE2 = 6104
ALCORE_TAGS_IOBES = 6105
ALCORE_TAGS_BILOU = 6106
ALCORE_PAIRED_BOOTSTRAP = 6201
ALCORE_PAIRED_RANDOMIZATION = 6202
ALCORE_STOP_PLATEAU = 6601
ALCORE_STOP_MEAN_UNCERTAINTY = 6602
ALCORE_STOP_MAX_UNCERTAINTY = 6603
ALCORE_STOP_AGREEMENT = 6604
ALCORE_NEIGHBORHOOD_MAX = 8192
ALCORE_COST_RATE = 5801
ALCORE_COST_LINEAR = 5802
ALCORE_COST_POWER = 5803
ALCORE_PLOT_SERIES_MAX = 32
ALCORE_BAND_SE = 6501
ALCORE_BAND_SD = 6502
ALCORE_BAND_NONE = 6503
ALCORE_VOCABULARY_UNIGRAM = 6701
ALCORE_VOCABULARY_BPE = 6702
ALCORE_TOKEN_SPECIAL = 1
ALCORE_TOKEN_WORD = 2

#: Words for 0, which is no value of an enum, by the prefix of its constants.
DEFAULT_WORDS = {
    "ALCORE_ESCAPES_": "auto",
    "ALCORE_FORMAT_": "auto",
    "ALCORE_JOIN_": "auto",
    "ALCORE_MEANS_": "default",
    "ALCORE_NORMALIZE_": "auto",
    "ALCORE_POOLING_": "auto",
}

#: The usual columns and their shapes; None: one number a row or a token.
COLUMNS = {
    "scores": ALCORE_COLUMN_SCALAR,
    "logprobs": ALCORE_COLUMN_RAGGED,
    "probs": ALCORE_COLUMN_DENSE,
    "embeddings": ALCORE_COLUMN_DENSE,
    "token_probs": ALCORE_COLUMN_RAGGED_DENSE,
    "margins": None,
    "confidences": None,
    "entropies": None,
    "mlm_losses": ALCORE_COLUMN_RAGGED,
    "factors": ALCORE_COLUMN_DENSE,
    "qa_start": ALCORE_COLUMN_RAGGED,
    "qa_end": ALCORE_COLUMN_RAGGED,
    "qa_windows": ALCORE_COLUMN_RAGGED,
    "roundtrip": None,
    "qa_contexts": None,
}
#: Metrics and their inputs in the library's order: (name, kind).
METRICS = {
    "bleu": (("hypotheses", "texts"), ("references", "texts"),),
    "chrf": (("hypotheses", "texts"), ("references", "texts"),),
    "ter": (("hypotheses", "texts"), ("references", "texts"),),
    "mean": (("values", "numbers"),),
    "pearson": (("x", "numbers"), ("y", "numbers"),),
    "wilcoxon": (("x", "numbers"), ("y", "numbers"),),
    "kappa": (("x", "classes"), ("y", "classes"),),
    "labels": (("gold", "texts"), ("predicted", "texts"),),
    "spans": (("gold", "texts"), ("predicted", "texts"),),
    "answers": (("gold", "lists"), ("predicted", "texts"),),
    "word_accuracy": (("sources", "texts"), ("references", "texts"), ("hypotheses", "texts"), ("links", "links"),),
    "length_ratio": (("hypotheses", "texts"), ("references", "texts"),),
}
#: Those of the columns whose numbers may be integers too.
NUMBER_COLUMNS = ("qa_windows",)


alcore_log_function = CFUNCTYPE(None, c_void_p, c_int32, c_char_p, c_char_p, c_char_p)
alcore_destroy_function = CFUNCTYPE(None, c_void_p)
alcore_progress_function = CFUNCTYPE(c_int32, c_void_p, c_char_p, c_int64, c_int64)
alcore_model_compute_function = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p, c_void_p, c_int64)  # structs travel as pointers
alcore_model_score_function = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p)  # structs travel as pointers
alcore_translate_function = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p, c_void_p)  # structs travel as pointers


class alcore_allocator(Structure):
    """Memory functions."""

    _fields_ = [
        ("size", c_size_t),
        ("user", c_void_p),
        ("allocate", CFUNCTYPE(c_void_p, c_void_p, c_size_t)),
        ("reallocate", CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_size_t, c_size_t)),
        ("release", CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)),
    ]


class alcore_files(Structure):
    """Virtual files"""

    _fields_ = [
        ("size", c_size_t),
        ("user", c_void_p),
        ("destroy", CFUNCTYPE(None, c_void_p)),
        ("open", CFUNCTYPE(c_int32, c_void_p, c_char_p, c_int32, c_void_p)),
        ("read", CFUNCTYPE(c_int32, c_void_p, c_void_p, c_int64, c_void_p, c_size_t, c_void_p)),
        ("write", CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p, c_size_t)),
        ("length", CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p)),
        ("sync", CFUNCTYPE(c_int32, c_void_p, c_void_p)),
        ("close", CFUNCTYPE(c_int32, c_void_p, c_void_p)),
        ("rename", CFUNCTYPE(c_int32, c_void_p, c_char_p, c_char_p)),
        ("remove", CFUNCTYPE(c_int32, c_void_p, c_char_p)),
    ]


class alcore_ctx_options(Structure):
    """Settings of a context."""

    _fields_ = [
        ("size", c_size_t),
        ("allocator", c_void_p),
        ("files", c_void_p),
        ("log", alcore_log_function),
        ("log_user", c_void_p),
        ("log_destroy", CFUNCTYPE(None, c_void_p)),
        ("progress", alcore_progress_function),
        ("progress_user", c_void_p),
        ("progress_destroy", CFUNCTYPE(None, c_void_p)),
        ("module_dir", c_char_p),
        ("seed", c_uint64),
        ("threads", c_int32),
        ("reserved", c_int32),
        ("torch_dir", c_char_p),
    ]


class alcore_dtype(Structure):
    """The number type of an array"""

    _fields_ = [
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
    ]


class alcore_device(Structure):
    """Where an array lives"""

    _fields_ = [
        ("type", c_int32),
        ("id", c_int32),
    ]


class alcore_tensor(Structure):
    """An array that somebody else owns"""

    _fields_ = [
        ("data", c_void_p),
        ("device", alcore_device),
        ("ndim", c_int32),
        ("dtype", alcore_dtype),
        ("shape", c_void_p),
        ("strides", c_void_p),
        ("byte_offset", c_uint64),
    ]


class alcore_read_options(Structure):
    """How a file of records is read."""

    _fields_ = [
        ("size", c_size_t),
        ("format", c_int32),
        ("bad_lines", c_int32),
        ("text_column", c_char_p),
        ("reference_column", c_char_p),
        ("references", c_char_p),
        ("language", c_char_p),
        ("side", c_char_p),
        ("translator", c_char_p),
        ("system", c_char_p),
        ("domain", c_char_p),
        ("escapes", c_int32),
        ("by", c_int32),
    ]


class alcore_write_options(Structure):
    """How a file is written."""

    _fields_ = [
        ("size", c_size_t),
        ("format", c_int32),
        ("reserved", c_int32),
    ]


class alcore_param_info(Structure):
    """Description of one parameter."""

    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("help", c_char_p),
        ("initial", c_char_p),
        ("choices", c_char_p),
        ("minimum", c_double),
        ("maximum", c_double),
        ("type", c_int32),
        ("reserved", c_int32),
    ]


class alcore_pool_options(Structure):
    """Settings of a pool."""

    _fields_ = [
        ("size", c_size_t),
        ("dedup", c_int32),
        ("utf8", c_int32),
        ("max_text_bytes", c_int64),
        ("repeated_ids", c_int32),
        ("reserved", c_int32),
    ]


class alcore_records(Structure):
    """Records to be added, as parallel arrays of count entries."""

    _fields_ = [
        ("size", c_size_t),
        ("texts", c_void_p),
        ("text_lengths", c_void_p),
        ("count", c_int64),
        ("ids", c_void_p),
        ("id_lengths", c_void_p),
        ("references", c_void_p),
        ("reference_lengths", c_void_p),
        ("languages", c_void_p),
        ("groups", c_void_p),
        ("costs", c_void_p),
    ]


class alcore_join_options(Structure):
    """What alcore_pool_join() joins."""

    _fields_ = [
        ("size", c_size_t),
        ("by", c_int32),
        ("reserved", c_int32),
        ("texts_name", c_char_p),
        ("partners_name", c_char_p),
        ("rows", c_void_p),
        ("row_count", c_int64),
    ]


class alcore_filter(Structure):
    """Which rows alcore_pool_filter() masks."""

    _fields_ = [
        ("size", c_size_t),
        ("min_words", c_int64),
        ("max_words", c_int64),
        ("min_letters", c_double),
    ]


class alcore_column_options(Structure):
    """How a column is given."""

    _fields_ = [
        ("size", c_size_t),
        ("ownership", c_int32),
        ("meaning", c_int32),
        ("log_base", c_double),
        ("rows", c_void_p),
        ("row_count", c_int64),
        ("offsets", c_char_p),
        ("format", c_char_p),
        ("release", CFUNCTYPE(None, c_void_p)),
        ("release_user", c_void_p),
        ("stream", c_void_p),
        ("on_device", c_int32),
        ("shape", c_int32),
    ]


class alcore_column_info(Structure):
    """What alcore_pool_get_column_info() says of a column."""

    _fields_ = [
        ("size", c_size_t),
        ("dtype", c_int32),
        ("shape", c_int32),
        ("meaning", c_int32),
        ("in_file", c_int32),
        ("width", c_int64),
        ("entries", c_int64),
        ("origin", c_char_p),
    ]


class alcore_table_options(Structure):
    """What a table has that is handed out."""

    _fields_ = [
        ("size", c_size_t),
        ("columns", c_void_p),
        ("column_count", c_int64),
    ]


class alcore_phrase_options(Structure):
    """Which phrases a derived pool has."""

    _fields_ = [
        ("size", c_size_t),
        ("max_words", c_int64),
        ("min_count", c_int64),
        ("semi_maximal", c_int32),
        ("beyond_limit", c_int32),
        ("unknown", c_int32),
        ("with_letters", c_int32),
    ]


class alcore_price(Structure):
    """What labeling costs in money."""

    _fields_ = [
        ("size", c_size_t),
        ("amount", c_double),
        ("currency", c_char_p),
        ("unit", c_int32),
        ("reserved", c_int32),
    ]


class alcore_remedy(Structure):
    """A remedy."""

    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("value", c_char_p),
        ("effect", c_char_p),
        ("kind", c_int32),
        ("reserved", c_int32),
    ]


class alcore_search_data(Structure):
    """The rows of one operand of a search"""

    _fields_ = [
        ("size", c_size_t),
        ("matrix", c_void_p),
        ("pool", c_void_p),
        ("column", c_char_p),
        ("mask", c_void_p),
        ("mask_count", c_int64),
        ("normalize", c_int32),
        ("reserved", c_int32),
        ("stream", c_void_p),
    ]


class alcore_search_options(Structure):
    """Settings of a search."""

    _fields_ = [
        ("size", c_size_t),
        ("device", c_char_p),
        ("metric", c_int32),
        ("reserved", c_int32),
    ]


class alcore_logits(Structure):
    """The tokens of some items and what a model says of them."""

    _fields_ = [
        ("size", c_size_t),
        ("logits", c_void_p),
        ("hidden", c_void_p),
        ("output", c_void_p),
        ("bias", c_void_p),
        ("labels", c_void_p),
        ("lengths", c_void_p),
        ("length_count", c_int64),
        ("stream", c_void_p),
    ]


class alcore_token_stats(Structure):
    """Where the statistics of each token go"""

    _fields_ = [
        ("size", c_size_t),
        ("logprob", c_void_p),
        ("top1", c_void_p),
        ("top2", c_void_p),
        ("margin", c_void_p),
        ("entropy", c_void_p),
        ("logsumexp", c_void_p),
        ("likeliest", c_void_p),
    ]


class alcore_logits_writers(Structure):
    """Column writers that take what is known of each item."""

    _fields_ = [
        ("size", c_size_t),
        ("nnll", c_void_p),
        ("logprobs", c_void_p),
        ("margins", c_void_p),
        ("confidences", c_void_p),
        ("entropies", c_void_p),
    ]


class alcore_topk(Structure):
    """What an inference server says of the tokens of some items, one item after another"""

    _fields_ = [
        ("size", c_size_t),
        ("logprobs", c_void_p),
        ("top", c_void_p),
        ("ids", c_void_p),
        ("top_ids", c_void_p),
        ("lengths", c_void_p),
        ("length_count", c_int64),
        ("classes", c_int64),
        ("rest", c_int32),
        ("reserved", c_int32),
    ]


class alcore_batch(Structure):
    """Some rows of a pool on their way to a model"""

    _fields_ = [
        ("size", c_size_t),
        ("rows", c_void_p),
        ("texts", c_void_p),
        ("lengths", c_void_p),
        ("languages", c_void_p),
        ("count", c_int64),
        ("pool", c_void_p),
        ("references", c_void_p),
        ("reference_lengths", c_void_p),
        ("contexts", c_void_p),
        ("context_lengths", c_void_p),
    ]


class alcore_model_column(Structure):
    """What a column is that a host's model makes."""

    _fields_ = [
        ("size", c_size_t),
        ("shape", c_int32),
        ("meaning", c_int32),
        ("per_word", c_int32),
        ("reserved", c_int32),
    ]


class alcore_model_host(Structure):
    """A caller's model"""

    _fields_ = [
        ("size", c_size_t),
        ("user", c_void_p),
        ("destroy", CFUNCTYPE(None, c_void_p)),
        ("name", c_char_p),
        ("reads", c_void_p),
        ("batch_rows", c_int64),
        ("batch_bytes", c_int64),
        ("can", CFUNCTYPE(c_int32, c_void_p, c_char_p)),
        ("compute", alcore_model_compute_function),
        ("describe", CFUNCTYPE(None, c_void_p, c_char_p, c_void_p)),
        ("score", alcore_model_score_function),
        ("version", CFUNCTYPE(c_uint64, c_void_p)),
        ("info", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("set_language", CFUNCTYPE(c_int32, c_void_p, c_char_p)),
        ("set_dropout", CFUNCTYPE(c_int32, c_void_p, c_int32, c_uint64)),
    ]


class alcore_ngram_options(Structure):
    """Settings of the n-gram model."""

    _fields_ = [
        ("size", c_size_t),
        ("dims", c_int64),
        ("seed", c_uint64),
        ("order", c_int32),
        ("reserved", c_int32),
    ]


class alcore_model_options(Structure):
    """How a model folder is opened."""

    _fields_ = [
        ("size", c_size_t),
        ("device", c_char_p),
        ("dtype", c_int32),
        ("pooling", c_int32),
        ("layer", c_int32),
        ("normalize", c_int32),
        ("max_tokens", c_int64),
        ("batch_tokens", c_int64),
        ("stride", c_int64),
        ("prompt", c_char_p),
        ("prompt_name", c_char_p),
    ]


class alcore_model_info(Structure):
    """What a model is."""

    _fields_ = [
        ("size", c_size_t),
        ("engine", c_char_p),
        ("family", c_char_p),
        ("device", c_char_p),
        ("version", c_char_p),
        ("json", c_char_p),
        ("dims", c_int64),
        ("classes", c_int64),
        ("max_tokens", c_int64),
        ("vocabulary", c_int64),
        ("translates", c_int32),
        ("scores", c_int32),
        ("trains", c_int32),
        ("saves", c_int32),
        ("labels", c_void_p),
        ("warnings", c_void_p),
        ("warning_count", c_int64),
        ("prompt", c_char_p),
    ]


class alcore_scorer_host(Structure):
    """A caller's scorer."""

    _fields_ = [
        ("size", c_size_t),
        ("user", c_void_p),
        ("destroy", CFUNCTYPE(None, c_void_p)),
        ("name", c_char_p),
        ("needs", c_void_p),
        ("score", CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p)),
    ]


class alcore_strategy_host(Structure):
    """A caller's strategy."""

    _fields_ = [
        ("size", c_size_t),
        ("user", c_void_p),
        ("destroy", CFUNCTYPE(None, c_void_p)),
        ("name", c_char_p),
        ("needs", c_void_p),
        ("labeled_needs", c_void_p),
        ("target_needs", c_void_p),
        ("choose", CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p)),
    ]


class alcore_report_options(Structure):
    """How a report is written."""

    _fields_ = [
        ("size", c_size_t),
        ("kind", c_int32),
        ("reserved", c_int32),
    ]


class alcore_translate_options(Structure):
    """How outputs are searched for."""

    _fields_ = [
        ("size", c_size_t),
        ("max_tokens", c_int64),
        ("length_penalty", c_double),
        ("temperature", c_double),
        ("seed", c_uint64),
        ("beams", c_int32),
        ("sample", c_int32),
        ("language", c_char_p),
        ("best", c_int32),
        ("reserved", c_int32),
    ]


class alcore_train_options(Structure):
    """How a model is trained."""

    _fields_ = [
        ("size", c_size_t),
        ("rate", c_double),
        ("weight_decay", c_double),
        ("clip", c_double),
        ("label_smoothing", c_double),
        ("updates", c_int64),
        ("warmup", c_int64),
        ("accumulate", c_int64),
        ("batch_tokens", c_int64),
        ("checkpoint_every", c_int64),
        ("seed", c_uint64),
        ("checkpoints", c_char_p),
        ("schedule", c_int32),
        ("optimizer", c_int32),
        ("beta1", c_double),
        ("beta2", c_double),
        ("epsilon", c_double),
        ("weights", c_char_p),
        ("validation", c_void_p),
        ("best", c_char_p),
        ("validate_every", c_int64),
        ("patience", c_int64),
        ("metric", c_int32),
        ("precision", c_int32),
        ("recompute", c_int32),
        ("reserved", c_int32),
        ("labels", c_char_p),
    ]


class alcore_train_result(Structure):
    """What a training did."""

    _fields_ = [
        ("size", c_size_t),
        ("updates", c_int64),
        ("tokens", c_int64),
        ("loss", c_double),
        ("seconds", c_double),
        ("resumed", c_int64),
        ("best_update", c_int64),
        ("best_value", c_double),
        ("stopped", c_int32),
        ("reserved", c_int32),
    ]


class alcore_lm_options(Structure):
    """Settings of the training."""

    _fields_ = [
        ("size", c_size_t),
        ("order", c_int32),
        ("reserved", c_int32),
        ("discounts", c_void_p),
        ("discount_count", c_int64),
    ]


class alcore_lm_order_info(Structure):
    """Statistics of the n-grams of one order."""

    _fields_ = [
        ("size", c_size_t),
        ("ngrams", c_int64),
        ("exactly", c_int64 * 4),
        ("discount", c_double * 3),
        ("fallback", c_int32),
        ("reserved", c_int32),
    ]


class alcore_aligner_options(Structure):
    """Settings of an aligner."""

    _fields_ = [
        ("size", c_size_t),
        ("direction", c_int32),
        ("model", c_int32),
        ("estimate", c_int32),
        ("tension", c_int32),
        ("iterations", c_int32),
        ("reserved", c_int32),
        ("p0", c_double),
        ("lambda", c_double),
        ("alpha", c_double),
    ]


class alcore_annotation_records(Structure):
    """Items to be added, as parallel arrays of count entries."""

    _fields_ = [
        ("size", c_size_t),
        ("texts", c_void_p),
        ("text_lengths", c_void_p),
        ("count", c_int64),
        ("kinds", c_void_p),
        ("ids", c_void_p),
        ("rows", c_void_p),
        ("costs", c_void_p),
        ("translations", c_void_p),
        ("translation_lengths", c_void_p),
    ]


class alcore_answer_report(Structure):
    """What alcore_annotations_read_answers() or alcore_annotations_answer() found."""

    _fields_ = [
        ("size", c_size_t),
        ("lines", c_int64),
        ("answered", c_int64),
        ("skipped", c_int64),
        ("rejected", c_int64),
        ("untranslatable", c_int64),
        ("unanswered", c_int64),
        ("corrected", c_int64),
        ("conflicting", c_int64),
        ("unusable", c_int64),
        ("messages", c_char_p),
    ]


class alcore_annotation_answers(Structure):
    """Answers as parallel arrays of count entries."""

    _fields_ = [
        ("size", c_size_t),
        ("items", c_void_p),
        ("count", c_int64),
        ("ids", c_void_p),
        ("texts", c_void_p),
        ("translations", c_void_p),
        ("translation_lengths", c_void_p),
        ("statuses", c_void_p),
    ]


class alcore_mix_options(Structure):
    """Settings of a training set."""

    _fields_ = [
        ("size", c_size_t),
        ("kind", c_char_p),
        ("span", c_char_p),
        ("device", c_char_p),
        ("model", c_void_p),
        ("lm", c_void_p),
        ("links", c_void_p),
        ("count", c_int64),
        ("subset", c_int64),
        ("k", c_int64),
        ("upsample_phrase", c_int64),
        ("round", c_int64),
        ("seed", c_uint64),
        ("unique", c_int32),
        ("norm", c_int32),
    ]


class alcore_overlap_options(Structure):
    """Settings of an overlap."""

    _fields_ = [
        ("size", c_size_t),
        ("max_order", c_int32),
        ("kept", c_int32),
        ("tagged", c_int32),
        ("reserved", c_int32),
    ]


class alcore_coverage_options(Structure):
    """Settings of the overlap of one order."""

    _fields_ = [
        ("size", c_size_t),
        ("data", c_int32),
        ("reserved", c_int32),
    ]


class alcore_coverage_result(Structure):
    """Overlap of the n-grams of one order."""

    _fields_ = [
        ("size", c_size_t),
        ("coverage", c_double),
        ("token_coverage", c_double),
        ("precision", c_double),
        ("jaccard", c_double),
        ("test_types", c_int64),
        ("test_tokens", c_int64),
        ("data_types", c_int64),
        ("shared_types", c_int64),
        ("shared_tokens", c_int64),
    ]


class alcore_in_domain_options(Structure):
    """Settings of in-domain words."""

    _fields_ = [
        ("size", c_size_t),
        ("definition", c_int32),
        ("reserved", c_int32),
    ]


class alcore_in_domain_result(Structure):
    """In-domain words of the selected data."""

    _fields_ = [
        ("size", c_size_t),
        ("type_share", c_double),
        ("word_share", c_double),
        ("in_domain_types", c_int64),
        ("types", c_int64),
        ("in_domain_words", c_int64),
        ("words", c_int64),
    ]


class alcore_text_files(Structure):
    """Files of texts, of which line i of each belong together."""

    _fields_ = [
        ("size", c_size_t),
        ("paths", c_void_p),
        ("count", c_int64),
        ("options", c_void_p),
        ("score", CFUNCTYPE(None, c_void_p, c_int64, c_double)),
        ("score_user", c_void_p),
    ]


class alcore_paired_options(Structure):
    """Another system, the baseline, from which the hypotheses of BLEU, chrF or TER are told apart by a paired test, as sacreBLEU does (docs/spec/analyses.md 8.5)."""

    _fields_ = [
        ("size", c_size_t),
        ("baseline", c_void_p),
        ("baseline_lengths", c_void_p),
        ("baseline_count", c_int64),
        ("test", c_int32),
        ("reserved", c_int32),
        ("samples", c_int64),
        ("seed", c_uint64),
    ]


class alcore_bleu_options(Structure):
    """Settings of BLEU."""

    _fields_ = [
        ("size", c_size_t),
        ("tokenizer", c_int32),
        ("smoothing", c_int32),
        ("smoothing_value", c_double),
        ("effective_order", c_int32),
        ("reserved", c_int32),
        ("resamples", c_int64),
        ("seed", c_uint64),
        ("paired", c_void_p),
    ]


class alcore_bleu_result(Structure):
    """BLEU of a corpus and what it was computed from."""

    _fields_ = [
        ("size", c_size_t),
        ("bleu", c_double),
        ("brevity_penalty", c_double),
        ("precisions", c_double * 4),
        ("matches", c_int64 * 4),
        ("totals", c_int64 * 4),
        ("hypothesis_tokens", c_int64),
        ("reference_tokens", c_int64),
        ("bootstrap_mean", c_double),
        ("bootstrap_low", c_double),
        ("bootstrap_high", c_double),
        ("baseline", c_double),
        ("p", c_double),
    ]


class alcore_chrf_options(Structure):
    """Settings of chrF."""

    _fields_ = [
        ("size", c_size_t),
        ("word_order", c_int32),
        ("whitespace", c_int32),
        ("resamples", c_int64),
        ("seed", c_uint64),
        ("paired", c_void_p),
    ]


class alcore_chrf_result(Structure):
    """chrF of a corpus and what it was computed from; entries 0 to 5 of the counts are of n-grams of 1 to 6 characters, 6 and 7 of 1 and 2 words."""

    _fields_ = [
        ("size", c_size_t),
        ("chrf", c_double),
        ("matches", c_int64 * 8),
        ("hypothesis_total", c_int64 * 8),
        ("reference_total", c_int64 * 8),
        ("bootstrap_mean", c_double),
        ("bootstrap_low", c_double),
        ("bootstrap_high", c_double),
        ("baseline", c_double),
        ("p", c_double),
    ]


class alcore_ter_options(Structure):
    """Settings of TER."""

    _fields_ = [
        ("size", c_size_t),
        ("case_sensitive", c_int32),
        ("reserved", c_int32),
        ("resamples", c_int64),
        ("seed", c_uint64),
        ("paired", c_void_p),
    ]


class alcore_ter_result(Structure):
    """TER of a corpus and what it was computed from."""

    _fields_ = [
        ("size", c_size_t),
        ("ter", c_double),
        ("edits", c_int64),
        ("reference_words", c_double),
        ("bootstrap_mean", c_double),
        ("bootstrap_low", c_double),
        ("bootstrap_high", c_double),
        ("baseline", c_double),
        ("p", c_double),
    ]


class alcore_mean_options(Structure):
    """Settings of a mean"""

    _fields_ = [
        ("size", c_size_t),
    ]


class alcore_mean_result(Structure):
    """Mean, standard deviation and standard error of numbers."""

    _fields_ = [
        ("size", c_size_t),
        ("mean", c_double),
        ("standard_deviation", c_double),
        ("standard_error", c_double),
    ]


class alcore_pearson_options(Structure):
    """Settings of Pearson's correlation"""

    _fields_ = [
        ("size", c_size_t),
    ]


class alcore_pearson_result(Structure):
    """Pearson's correlation."""

    _fields_ = [
        ("size", c_size_t),
        ("rho", c_double),
        ("p", c_double),
    ]


class alcore_wilcoxon_options(Structure):
    """Settings of Wilcoxon's test"""

    _fields_ = [
        ("size", c_size_t),
    ]


class alcore_wilcoxon_result(Structure):
    """Wilcoxon's signed-rank test."""

    _fields_ = [
        ("size", c_size_t),
        ("pairs", c_int64),
        ("w_plus", c_double),
        ("w_minus", c_double),
        ("p", c_double),
        ("exact", c_int32),
        ("reserved", c_int32),
    ]


class alcore_kappa_options(Structure):
    """Settings of Cohen's kappa"""

    _fields_ = [
        ("size", c_size_t),
    ]


class alcore_kappa_result(Structure):
    """Agreement of two predictions."""

    _fields_ = [
        ("size", c_size_t),
        ("kappa", c_double),
        ("observed", c_double),
        ("expected", c_double),
        ("classes", c_int64),
        ("items", c_int64),
    ]


class alcore_labels_options(Structure):
    """Settings of labels."""

    _fields_ = [
        ("size", c_size_t),
        ("words", c_int32),
        ("reserved", c_int32),
    ]


class alcore_labels_result(Structure):
    """Labels against gold ones."""

    _fields_ = [
        ("size", c_size_t),
        ("accuracy", c_double),
        ("macro_f1", c_double),
        ("correct", c_int64),
        ("labels", c_int64),
        ("compared", c_int64),
    ]


class alcore_spans_options(Structure):
    """Settings of spans."""

    _fields_ = [
        ("size", c_size_t),
        ("scheme", c_int32),
        ("reserved", c_int32),
    ]


class alcore_spans_result(Structure):
    """Spans against gold ones."""

    _fields_ = [
        ("size", c_size_t),
        ("precision", c_double),
        ("recall", c_double),
        ("f1", c_double),
        ("gold_spans", c_int64),
        ("predicted_spans", c_int64),
        ("matches", c_int64),
    ]


class alcore_answers_options(Structure):
    """Settings of answers"""

    _fields_ = [
        ("size", c_size_t),
    ]


class alcore_answers_result(Structure):
    """Answers to questions against gold ones."""

    _fields_ = [
        ("size", c_size_t),
        ("exact_match", c_double),
        ("f1", c_double),
        ("exact", c_int64),
        ("questions", c_int64),
    ]


class alcore_word_accuracy_options(Structure):
    """Settings of the accuracy of words."""

    _fields_ = [
        ("size", c_size_t),
        ("domain", c_void_p),
    ]


class alcore_word_accuracy_result(Structure):
    """How many words of the references that are aligned to in-domain words a translation has."""

    _fields_ = [
        ("size", c_size_t),
        ("accuracy", c_double),
        ("matched", c_int64),
        ("total", c_int64),
        ("unlinked", c_int64),
    ]


class alcore_length_ratio_options(Structure):
    """Settings of the length ratio"""

    _fields_ = [
        ("size", c_size_t),
    ]


class alcore_length_ratio_result(Structure):
    """Lengths of translations."""

    _fields_ = [
        ("size", c_size_t),
        ("ratio", c_double),
        ("hypothesis_words", c_int64),
        ("reference_words", c_int64),
    ]


class alcore_plateau_options(Structure):
    """Settings of a plateau."""

    _fields_ = [
        ("size", c_size_t),
        ("patience", c_int64),
        ("least_gain", c_double),
        ("lower_is_better", c_int32),
        ("reserved", c_int32),
    ]


class alcore_uncertainty_options(Structure):
    """Settings of an uncertainty."""

    _fields_ = [
        ("size", c_size_t),
        ("criterion", c_int32),
        ("reserved", c_int32),
    ]


class alcore_agreement_options(Structure):
    """Settings of the agreement of successive models."""

    _fields_ = [
        ("size", c_size_t),
        ("window", c_int64),
        ("threshold", c_double),
    ]


class alcore_stop_decision(Structure):
    """What a criterion decided, and the numbers that it decided by."""

    _fields_ = [
        ("size", c_size_t),
        ("criterion", c_int32),
        ("stop", c_int32),
        ("numbers", c_int64),
        ("left_out", c_int64),
        ("window", c_int64),
        ("best_round", c_int64),
        ("best", c_double),
        ("value", c_double),
        ("threshold", c_double),
    ]


class alcore_cost_options(Structure):
    """Settings of a cost."""

    _fields_ = [
        ("size", c_size_t),
        ("model", c_int32),
        ("reserved", c_int32),
        ("rate", c_double),
        ("bleu_gain", c_double),
        ("in_domain_types", c_double),
    ]


class alcore_cost_result(Structure):
    """What labeling costs."""

    _fields_ = [
        ("size", c_size_t),
        ("usd", c_double),
        ("usd_per_bleu", c_double),
        ("usd_per_type", c_double),
    ]


class alcore_composition_options(Structure):
    """What a selection is compared with."""

    _fields_ = [
        ("size", c_size_t),
        ("uncertainty", c_void_p),
        ("uncertainty_count", c_int64),
        ("source", c_void_p),
        ("target", c_void_p),
        ("target_pool", c_void_p),
        ("other_rows", c_void_p),
        ("other_count", c_int64),
        ("neighbors", c_int64),
    ]


class alcore_composition_result(Structure):
    """What a selection consists of."""

    _fields_ = [
        ("size", c_size_t),
        ("rows", c_int64),
        ("target_language_rows", c_int64),
        ("mean_uncertainty", c_double),
        ("median_uncertainty", c_double),
        ("mean_distance", c_double),
        ("targets", c_int64),
        ("targets_reached", c_int64),
        ("jaccard", c_double),
    ]


class alcore_duplicates_options(Structure):
    """Settings of duplicates"""

    _fields_ = [
        ("size", c_size_t),
    ]


class alcore_duplicates_result(Structure):
    """Texts that a test set has in common with training data."""

    _fields_ = [
        ("size", c_size_t),
        ("duplicates", c_double),
        ("in_train", c_int64),
        ("texts", c_int64),
        ("repeated", c_int64),
    ]


class alcore_projection_options(Structure):
    """Settings of a projection"""

    _fields_ = [
        ("size", c_size_t),
    ]


class alcore_projection_result(Structure):
    """Two principal components."""

    _fields_ = [
        ("size", c_size_t),
        ("rows", c_int64),
        ("eigenvalues", c_double * 2),
        ("shares", c_double * 2),
    ]


class alcore_ablation(Structure):
    """What a request selects with one value of a parameter."""

    _fields_ = [
        ("size", c_size_t),
        ("value", c_double),
        ("items", c_int64),
        ("phrases", c_int64),
        ("words", c_int64),
        ("overlap", c_double),
        ("share_of_0", c_double),
        ("share_of_1", c_double),
    ]


class alcore_plot_options(Structure):
    """Settings of a plot."""

    _fields_ = [
        ("size", c_size_t),
        ("title", c_char_p),
        ("x_label", c_char_p),
        ("y_label", c_char_p),
        ("width", c_int32),
        ("height", c_int32),
        ("band", c_int32),
        ("equal_scales", c_int32),
        ("column_names", c_void_p),
        ("columns", c_void_p),
        ("column_count", c_int64),
    ]


class alcore_encode_options(Structure):
    """How texts are encoded."""

    _fields_ = [
        ("size", c_size_t),
        ("language", c_char_p),
        ("max_tokens", c_int64),
        ("without_special", c_int32),
        ("as_target", c_int32),
    ]


class alcore_vocabulary_options(Structure):
    """How a vocabulary is trained."""

    _fields_ = [
        ("size", c_size_t),
        ("coverage", c_double),
        ("tokens", c_int64),
        ("max_texts", c_int64),
        ("seed", c_uint64),
        ("kind", c_int32),
        ("byte_fallback", c_int32),
    ]


#: name: (result, arguments, whether it may call back)
FUNCTIONS = {
    "alcore_status_name": (c_char_p, (c_int32,), False),
    "alcore_last_error": (c_char_p, (), False),
    "alcore_error_set": (c_int32, (c_int32, c_char_p, c_size_t), False),
    "alcore_struct_begin": (c_int32, (c_void_p, c_size_t, c_char_p), False),
    "alcore_ctx_new": (c_int32, (c_void_p, c_void_p), True),
    "alcore_ctx_ref": (c_void_p, (c_void_p,), False),
    "alcore_ctx_unref": (None, (c_void_p,), True),
    "alcore_ctx_cancel": (None, (c_void_p,), False),
    "alcore_ctx_cancel_clear": (None, (c_void_p,), False),
    "alcore_ctx_is_cancelled": (c_int32, (c_void_p,), False),
    "alcore_ctx_poll": (c_int32, (c_void_p, c_char_p, c_int64, c_int64), True),
    "alcore_ctx_threads": (c_int32, (c_void_p,), False),
    "alcore_device_builtin_name": (c_char_p, (c_int64,), False),
    "alcore_device_check": (c_int32, (c_void_p, c_char_p), False),
    "alcore_tensor_init": (c_int32, (c_void_p, c_void_p, c_int32, c_void_p, c_int32), False),
    "alcore_hint": (c_char_p, (c_int32, c_char_p), False),
    "alcore_pool_new": (c_int32, (c_void_p, c_void_p, c_void_p), False),
    "alcore_pool_new_derived": (c_int32, (c_void_p, c_void_p, c_void_p), False),
    "alcore_pool_source": (c_void_p, (c_void_p,), False),
    "alcore_pool_ref": (c_void_p, (c_void_p,), False),
    "alcore_pool_unref": (None, (c_void_p,), True),
    "alcore_pool_add_texts": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p), True),
    "alcore_pool_add_utf8": (c_int32, (c_void_p, c_char_p, c_void_p, c_int64, c_void_p), True),
    "alcore_pool_add_records": (c_int32, (c_void_p, c_void_p, c_void_p), True),
    "alcore_pool_read": (c_int32, (c_void_p, c_char_p, c_void_p), True),
    "alcore_pool_add_arrow": (c_int32, (c_void_p, c_void_p, c_void_p), True),
    "alcore_pool_row_count": (c_int64, (c_void_p,), False),
    "alcore_pool_text": (c_void_p, (c_void_p, c_int64, c_void_p), False),
    "alcore_pool_row_id": (c_char_p, (c_void_p, c_int64), False),
    "alcore_pool_reference": (c_void_p, (c_void_p, c_int64, c_void_p), False),
    "alcore_pool_language": (c_char_p, (c_void_p, c_int64), False),
    "alcore_pool_distinct_language": (c_char_p, (c_void_p, c_int64), False),
    "alcore_pool_group": (c_char_p, (c_void_p, c_int64), False),
    "alcore_pool_cost": (c_double, (c_void_p, c_int64), False),
    "alcore_pool_words": (c_int64, (c_void_p, c_int64), False),
    "alcore_pool_fingerprint": (c_uint64, (c_void_p,), False),
    "alcore_pool_set_references": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p, c_int64), False),
    "alcore_pool_set_costs": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64), False),
    "alcore_pool_find": (c_int32, (c_void_p, c_char_p, c_size_t, c_void_p), False),
    "alcore_pool_join": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_pool_states": (c_void_p, (c_void_p,), False),
    "alcore_pool_state_count": (c_int64, (c_void_p, c_uint32), False),
    "alcore_pool_mark": (c_int32, (c_void_p, c_uint32, c_void_p, c_int64), False),
    "alcore_pool_unmark": (c_int32, (c_void_p, c_uint32, c_void_p, c_int64), False),
    "alcore_pool_mark_texts": (c_int32, (c_void_p, c_uint32, c_void_p), True),
    "alcore_pool_filter": (c_int32, (c_void_p, c_void_p), True),
    "alcore_pool_write": (c_int32, (c_void_p, c_void_p, c_int64, c_char_p, c_void_p), True),
    "alcore_pool_set_column": (c_int32, (c_void_p, c_char_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_pool_set_text_column": (c_int32, (c_void_p, c_char_p, c_void_p, c_void_p, c_int64, c_void_p), True),
    "alcore_pool_read_column": (c_int32, (c_void_p, c_char_p, c_char_p, c_void_p), True),
    "alcore_pool_drop_column": (c_int32, (c_void_p, c_char_p), True),
    "alcore_pool_column_name": (c_char_p, (c_void_p, c_int64), False),
    "alcore_pool_get_column_info": (c_int32, (c_void_p, c_char_p, c_void_p), False),
    "alcore_pool_get_column": (c_int32, (c_void_p, c_char_p, c_void_p, c_void_p), False),
    "alcore_pool_get_column_rows": (c_int32, (c_void_p, c_char_p, c_void_p, c_int64, c_void_p), True),
    "alcore_pool_get_column_tokens": (c_int32, (c_void_p, c_char_p, c_void_p, c_int64, c_void_p, c_void_p), True),
    "alcore_pool_column_text": (c_void_p, (c_void_p, c_char_p, c_int64, c_void_p), False),
    "alcore_pool_write_column": (c_int32, (c_void_p, c_char_p, c_char_p, c_void_p), True),
    "alcore_column_writer_new": (c_int32, (c_void_p, c_char_p, c_int32, c_void_p, c_void_p), False),
    "alcore_column_writer_ref": (c_void_p, (c_void_p,), False),
    "alcore_column_writer_unref": (None, (c_void_p,), False),
    "alcore_column_writer_put": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p), True),
    "alcore_column_writer_put_in_stream": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p), True),
    "alcore_column_writer_repeats": (c_int64, (c_void_p,), False),
    "alcore_column_writer_missing_count": (c_int64, (c_void_p,), False),
    "alcore_column_writer_missing": (c_int32, (c_void_p, c_void_p), False),
    "alcore_column_writer_save": (c_int32, (c_void_p, c_char_p), True),
    "alcore_column_writer_merge": (c_int32, (c_void_p, c_char_p), True),
    "alcore_column_writer_finish": (c_int32, (c_void_p, c_int32), True),
    "alcore_pool_set_column_arrow": (c_int32, (c_void_p, c_char_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_pool_set_column_stream": (c_int32, (c_void_p, c_char_p, c_void_p, c_void_p), True),
    "alcore_pool_get_arrow": (c_int32, (c_void_p, c_void_p, c_void_p), True),
    "alcore_pool_derive_phrases": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_pool_write_phrases": (c_int32, (c_void_p, c_char_p, c_void_p), True),
    "alcore_last_remedy": (c_int32, (c_void_p,), False),
    "alcore_search_knn": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_search_margin_ratios": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_void_p), True),
    "alcore_logits_measure": (c_int32, (c_void_p, c_void_p, c_int64, c_void_p), True),
    "alcore_logits_put": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_int64, c_void_p), True),
    "alcore_logits_put_topk": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p), True),
    "alcore_hidden_average_words": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_model_new_host": (c_int32, (c_void_p, c_void_p, c_void_p), False),
    "alcore_model_new_ngram": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), False),
    "alcore_model_open": (c_int32, (c_void_p, c_char_p, c_void_p, c_void_p), True),
    "alcore_model_check_engine": (c_int32, (c_void_p,), False),
    "alcore_model_ref": (c_void_p, (c_void_p,), False),
    "alcore_model_unref": (None, (c_void_p,), True),
    "alcore_model_name": (c_char_p, (c_void_p,), False),
    "alcore_model_can": (c_int32, (c_void_p, c_char_p), True),
    "alcore_model_set_cache": (c_int32, (c_void_p, c_char_p, c_double), False),
    "alcore_model_run": (c_int32, (c_void_p, c_void_p, c_char_p), True),
    "alcore_model_run_columns": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64), True),
    "alcore_model_get_info": (c_int32, (c_void_p, c_void_p), True),
    "alcore_model_set_language": (c_int32, (c_void_p, c_char_p), True),
    "alcore_model_set_dropout": (c_int32, (c_void_p, c_int32, c_uint64), True),
    "alcore_model_score": (c_int32, (c_void_p, c_void_p), True),
    "alcore_view_row_count": (c_int64, (c_void_p, c_int32), False),
    "alcore_view_rows": (c_void_p, (c_void_p, c_int32), False),
    "alcore_view_pool": (c_void_p, (c_void_p, c_int32), False),
    "alcore_view_get_column": (c_int32, (c_void_p, c_int32, c_char_p, c_int64, c_int64, c_void_p, c_void_p), True),
    "alcore_view_costs": (c_void_p, (c_void_p,), False),
    "alcore_view_budget": (c_double, (c_void_p,), False),
    "alcore_view_round": (c_int64, (c_void_p,), False),
    "alcore_view_poll": (c_int32, (c_void_p, c_char_p, c_int64, c_int64), True),
    "alcore_view_random": (c_uint64, (c_void_p, c_uint64), False),
    "alcore_scorer_builtin_name": (c_char_p, (c_int64,), False),
    "alcore_scorer_builtin_summary": (c_char_p, (c_char_p,), False),
    "alcore_scorer_builtin_param": (c_int32, (c_char_p, c_int64, c_void_p), False),
    "alcore_scorer_builtin_needs": (c_char_p, (c_char_p, c_int64), False),
    "alcore_scorer_needs": (c_char_p, (c_void_p, c_int64), False),
    "alcore_scorer_new": (c_int32, (c_void_p, c_char_p, c_void_p), False),
    "alcore_scorer_new_host": (c_int32, (c_void_p, c_void_p, c_void_p), False),
    "alcore_scorer_ref": (c_void_p, (c_void_p,), False),
    "alcore_scorer_unref": (None, (c_void_p,), True),
    "alcore_scorer_set": (c_int32, (c_void_p, c_char_p, c_char_p), False),
    "alcore_scorer_set_int": (c_int32, (c_void_p, c_char_p, c_int64), False),
    "alcore_scorer_set_number": (c_int32, (c_void_p, c_char_p, c_double), False),
    "alcore_scorer_get": (c_int32, (c_void_p, c_char_p, c_void_p), False),
    "alcore_scorer_run": (c_int32, (c_void_p, c_void_p, c_void_p), True),
    "alcore_strategy_builtin_name": (c_char_p, (c_int64,), False),
    "alcore_strategy_recommended": (c_char_p, (), False),
    "alcore_strategy_builtin_summary": (c_char_p, (c_char_p,), False),
    "alcore_strategy_builtin_param": (c_int32, (c_char_p, c_int64, c_void_p), False),
    "alcore_strategy_builtin_needs": (c_char_p, (c_char_p, c_int32, c_int64), False),
    "alcore_strategy_new": (c_int32, (c_void_p, c_char_p, c_void_p), False),
    "alcore_strategy_new_host": (c_int32, (c_void_p, c_void_p, c_void_p), False),
    "alcore_choice_scores": (c_int32, (c_void_p, c_void_p, c_int64), False),
    "alcore_choice_order": (c_int32, (c_void_p, c_void_p, c_int64), False),
    "alcore_strategy_ref": (c_void_p, (c_void_p,), False),
    "alcore_strategy_unref": (None, (c_void_p,), True),
    "alcore_strategy_set": (c_int32, (c_void_p, c_char_p, c_char_p), False),
    "alcore_strategy_set_int": (c_int32, (c_void_p, c_char_p, c_int64), False),
    "alcore_strategy_set_number": (c_int32, (c_void_p, c_char_p, c_double), False),
    "alcore_strategy_set_numbers": (c_int32, (c_void_p, c_char_p, c_void_p, c_int64), False),
    "alcore_strategy_get_numbers": (c_int32, (c_void_p, c_char_p, c_void_p), False),
    "alcore_strategy_get": (c_int32, (c_void_p, c_char_p, c_void_p), False),
    "alcore_selection_ref": (c_void_p, (c_void_p,), False),
    "alcore_selection_unref": (None, (c_void_p,), False),
    "alcore_selection_count": (c_int64, (c_void_p,), False),
    "alcore_selection_rows": (c_void_p, (c_void_p,), False),
    "alcore_selection_scores": (c_void_p, (c_void_p,), False),
    "alcore_selection_costs": (c_void_p, (c_void_p,), False),
    "alcore_selection_spent": (c_double, (c_void_p,), False),
    "alcore_selection_budget": (c_double, (c_void_p,), False),
    "alcore_selection_unit": (c_int32, (c_void_p,), False),
    "alcore_selection_get_price": (c_int32, (c_void_p, c_void_p), False),
    "alcore_selection_amount": (c_double, (c_void_p,), False),
    "alcore_selection_budget_count": (c_int64, (c_void_p,), False),
    "alcore_selection_of_budget": (c_void_p, (c_void_p, c_int64), False),
    "alcore_selection_remedy": (c_int32, (c_void_p, c_int64, c_void_p), False),
    "alcore_selection_flags": (c_uint32, (c_void_p,), False),
    "alcore_selection_pool": (c_void_p, (c_void_p,), False),
    "alcore_selection_reason": (c_char_p, (c_void_p, c_int64), False),
    "alcore_selection_column_name": (c_char_p, (c_void_p, c_int32, c_int64), False),
    "alcore_selection_get_column": (c_int32, (c_void_p, c_int32, c_char_p, c_void_p), False),
    "alcore_selection_provenance": (c_char_p, (c_void_p,), False),
    "alcore_selection_summary": (c_char_p, (c_void_p,), False),
    "alcore_selection_get_arrow": (c_int32, (c_void_p, c_void_p, c_void_p), False),
    "alcore_selection_write": (c_int32, (c_void_p, c_char_p, c_void_p), True),
    "alcore_selection_report": (c_int32, (c_void_p, c_char_p, c_void_p), True),
    "alcore_request_new": (c_int32, (c_void_p, c_void_p), False),
    "alcore_request_ref": (c_void_p, (c_void_p,), False),
    "alcore_request_unref": (None, (c_void_p,), True),
    "alcore_request_set_pool": (c_int32, (c_void_p, c_int32, c_void_p), False),
    "alcore_request_set_strategy": (c_int32, (c_void_p, c_void_p), False),
    "alcore_request_set_model": (c_int32, (c_void_p, c_void_p), False),
    "alcore_request_set_column_model": (c_int32, (c_void_p, c_char_p, c_void_p), True),
    "alcore_request_set_rows": (c_int32, (c_void_p, c_int32, c_void_p, c_int64), False),
    "alcore_request_read_rows": (c_int32, (c_void_p, c_int32, c_char_p), True),
    "alcore_request_get_rows": (c_int32, (c_void_p, c_int32, c_void_p), False),
    "alcore_request_set": (c_int32, (c_void_p, c_char_p, c_char_p), False),
    "alcore_request_set_int": (c_int32, (c_void_p, c_char_p, c_int64), False),
    "alcore_request_set_number": (c_int32, (c_void_p, c_char_p, c_double), False),
    "alcore_request_set_budgets": (c_int32, (c_void_p, c_void_p, c_int64, c_int32), False),
    "alcore_request_get_budgets": (c_int32, (c_void_p, c_void_p, c_void_p), False),
    "alcore_request_set_price": (c_int32, (c_void_p, c_void_p), False),
    "alcore_request_get_price": (c_int32, (c_void_p, c_void_p), False),
    "alcore_request_get": (c_int32, (c_void_p, c_char_p, c_void_p), False),
    "alcore_request_builtin_param": (c_int32, (c_int64, c_void_p), False),
    "alcore_request_cancel": (None, (c_void_p,), False),
    "alcore_request_cancel_clear": (None, (c_void_p,), False),
    "alcore_request_set_progress": (c_int32, (c_void_p, alcore_progress_function, c_void_p, alcore_destroy_function), True),
    "alcore_select": (c_int32, (c_void_p, c_void_p), True),
    "alcore_request_candidates": (c_int32, (c_void_p, c_int64, c_void_p), True),
    "alcore_model_translate": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_model_set_translate": (c_int32, (c_void_p, alcore_translate_function), False),
    "alcore_outputs_put": (c_int32, (c_void_p, c_int64, c_int64, c_char_p, c_size_t, c_void_p, c_int64, c_double), False),
    "alcore_model_train": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_model_save": (c_int32, (c_void_p, c_char_p), True),
    "alcore_lm_new_trained": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p), True),
    "alcore_lm_open_arpa": (c_int32, (c_void_p, c_char_p, c_void_p), True),
    "alcore_lm_write_arpa": (c_int32, (c_void_p, c_char_p), True),
    "alcore_lm_ref": (c_void_p, (c_void_p,), False),
    "alcore_lm_unref": (None, (c_void_p,), False),
    "alcore_lm_score": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p), True),
    "alcore_lm_token_logprobs": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p), True),
    "alcore_lm_order": (c_int32, (c_void_p,), False),
    "alcore_lm_order_get": (c_int32, (c_void_p, c_int32, c_void_p), False),
    "alcore_lm_fingerprint": (c_uint64, (c_void_p,), False),
    "alcore_model_new_lm": (c_int32, (c_void_p, c_void_p, c_void_p), False),
    "alcore_aligner_new_trained": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p), True),
    "alcore_aligner_open": (c_int32, (c_void_p, c_char_p, c_void_p), True),
    "alcore_aligner_write": (c_int32, (c_void_p, c_char_p), True),
    "alcore_aligner_ref": (c_void_p, (c_void_p,), False),
    "alcore_aligner_unref": (None, (c_void_p,), False),
    "alcore_aligner_log_likelihoods": (c_int32, (c_void_p, c_void_p), False),
    "alcore_aligner_direction": (c_int32, (c_void_p,), False),
    "alcore_aligner_lambda": (c_double, (c_void_p,), False),
    "alcore_aligner_probability": (c_int32, (c_void_p, c_char_p, c_char_p, c_void_p), False),
    "alcore_aligner_links": (c_int32, (c_void_p, c_void_p), True),
    "alcore_aligner_apply": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int64, c_void_p), True),
    "alcore_align": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int64, c_char_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_links_new": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_links_open": (c_int32, (c_void_p, c_char_p, c_int64, c_void_p), True),
    "alcore_links_write": (c_int32, (c_void_p, c_char_p), True),
    "alcore_links_ref": (c_void_p, (c_void_p,), False),
    "alcore_links_unref": (None, (c_void_p,), False),
    "alcore_links_get": (c_int32, (c_void_p, c_void_p, c_void_p), False),
    "alcore_links_symmetrize": (c_int32, (c_void_p, c_void_p, c_char_p, c_void_p), True),
    "alcore_symmetrization_builtin_name": (c_char_p, (c_int64,), False),
    "alcore_annotations_new": (c_int32, (c_void_p, c_void_p), False),
    "alcore_annotations_ref": (c_void_p, (c_void_p,), False),
    "alcore_annotations_unref": (None, (c_void_p,), False),
    "alcore_annotations_add": (c_int32, (c_void_p, c_void_p), True),
    "alcore_annotations_read_selection": (c_int32, (c_void_p, c_char_p), True),
    "alcore_annotations_add_selection": (c_int32, (c_void_p, c_void_p), True),
    "alcore_annotations_count": (c_int64, (c_void_p,), False),
    "alcore_annotations_id": (c_char_p, (c_void_p, c_int64), False),
    "alcore_annotations_kind": (c_char_p, (c_void_p, c_int64), False),
    "alcore_annotations_text": (c_void_p, (c_void_p, c_int64, c_void_p), False),
    "alcore_annotations_translation": (c_void_p, (c_void_p, c_int64, c_void_p), False),
    "alcore_annotations_status": (c_char_p, (c_void_p, c_int64), False),
    "alcore_annotations_row": (c_int64, (c_void_p, c_int64), False),
    "alcore_annotations_spent": (c_double, (c_void_p,), False),
    "alcore_annotations_refunded": (c_double, (c_void_p,), False),
    "alcore_annotations_write_requests": (c_int32, (c_void_p, c_char_p, c_void_p), True),
    "alcore_annotations_read_answers": (c_int32, (c_void_p, c_char_p), True),
    "alcore_annotations_answer": (c_int32, (c_void_p, c_void_p), True),
    "alcore_annotations_answer_report": (c_int32, (c_void_p, c_void_p), False),
    "alcore_annotations_look_up": (c_int32, (c_void_p, c_char_p), True),
    "alcore_annotations_simulate": (c_int32, (c_void_p, c_void_p, c_void_p), True),
    "alcore_annotations_write": (c_int32, (c_void_p, c_char_p, c_void_p), True),
    "alcore_mix_new": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_mix_ref": (c_void_p, (c_void_p,), False),
    "alcore_mix_unref": (None, (c_void_p,), False),
    "alcore_mix_count": (c_int64, (c_void_p,), False),
    "alcore_mix_missing": (c_int64, (c_void_p,), False),
    "alcore_mix_kind": (c_char_p, (c_void_p, c_int64), False),
    "alcore_mix_source": (c_void_p, (c_void_p, c_int64, c_void_p), False),
    "alcore_mix_target": (c_void_p, (c_void_p, c_int64, c_void_p), False),
    "alcore_mix_builtin_column_name": (c_char_p, (c_int64,), False),
    "alcore_mix_column": (c_int32, (c_void_p, c_char_p, c_void_p), False),
    "alcore_mix_summary": (c_char_p, (c_void_p,), False),
    "alcore_mix_provenance": (c_char_p, (c_void_p,), False),
    "alcore_mix_write": (c_int32, (c_void_p, c_char_p, c_void_p), True),
    "alcore_mix_write_parallel": (c_int32, (c_void_p, c_char_p), True),
    "alcore_overlap_new": (c_int32, (c_void_p, c_void_p, c_void_p), False),
    "alcore_overlap_add": (c_int32, (c_void_p, c_int32, c_int32, c_void_p, c_void_p, c_int64), True),
    "alcore_overlap_read": (c_int32, (c_void_p, c_int32, c_int32, c_char_p, c_void_p, c_void_p), True),
    "alcore_overlap_compute_coverage": (c_int32, (c_void_p, c_int32, c_void_p, c_void_p), True),
    "alcore_overlap_compute_in_domain": (c_int32, (c_void_p, c_void_p, c_void_p), True),
    "alcore_overlap_ref": (c_void_p, (c_void_p,), False),
    "alcore_overlap_unref": (None, (c_void_p,), False),
    "alcore_metric_compute_bleu": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_void_p), True),
    "alcore_metric_read_bleu": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_metric_compute_chrf": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_void_p), True),
    "alcore_metric_read_chrf": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_metric_compute_ter": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_void_p), True),
    "alcore_metric_read_ter": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_metric_bleu_signature": (c_char_p, (c_int64, c_void_p, c_void_p), False),
    "alcore_metric_chrf_signature": (c_char_p, (c_int64, c_void_p, c_void_p), False),
    "alcore_metric_ter_signature": (c_char_p, (c_int64, c_void_p, c_void_p), False),
    "alcore_metric_compute_mean": (c_int32, (c_void_p, c_void_p, c_int64, c_void_p, c_void_p), False),
    "alcore_metric_compute_pearson": (c_int32, (c_void_p, c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p), False),
    "alcore_metric_compute_wilcoxon": (c_int32, (c_void_p, c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p), True),
    "alcore_metric_compute_kappa": (c_int32, (c_void_p, c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p), True),
    "alcore_metric_read_kappa": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_metric_compute_labels": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_void_p, c_void_p), True),
    "alcore_metric_read_labels": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_metric_compute_spans": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_void_p, c_void_p), True),
    "alcore_metric_read_spans": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_metric_compute_answers": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_void_p, c_void_p), True),
    "alcore_metric_read_answers": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_metric_compute_word_accuracy": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_void_p), True),
    "alcore_metric_read_word_accuracy": (c_int32, (c_void_p, c_void_p, c_char_p, c_void_p, c_void_p), True),
    "alcore_metric_compute_length_ratio": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_void_p, c_void_p), True),
    "alcore_metric_read_length_ratio": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_stop_check_plateau": (c_int32, (c_void_p, c_int64, c_void_p, c_void_p), False),
    "alcore_stop_check_uncertainty": (c_int32, (c_void_p, c_int64, c_double, c_void_p, c_void_p), False),
    "alcore_stop_check_agreement": (c_int32, (c_void_p, c_int64, c_void_p, c_void_p), False),
    "alcore_stop_text": (c_char_p, (c_void_p, c_void_p), False),
    "alcore_analysis_compute_cost": (c_int32, (c_double, c_void_p, c_void_p), False),
    "alcore_analysis_compute_neighborhood": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p), True),
    "alcore_analysis_count_languages": (c_int32, (c_void_p, c_void_p, c_int64, c_void_p), False),
    "alcore_analysis_compute_composition": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p), True),
    "alcore_analysis_compute_duplicates": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_analysis_compute_projection": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p), True),
    "alcore_request_ablate": (c_int32, (c_void_p, c_char_p, c_void_p, c_int64, c_void_p, c_void_p, c_void_p), True),
    "alcore_plot_write_curves": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int64, c_char_p, c_void_p), True),
    "alcore_plot_write_points": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int64, c_char_p, c_void_p), True),
    "alcore_tokenizer_open": (c_int32, (c_void_p, c_char_p, c_void_p), True),
    "alcore_tokenizer_ref": (c_void_p, (c_void_p,), False),
    "alcore_tokenizer_unref": (None, (c_void_p,), False),
    "alcore_tokenizer_size": (c_int64, (c_void_p,), False),
    "alcore_tokenizer_id": (c_int64, (c_void_p, c_char_p), False),
    "alcore_tokenizer_token": (c_int32, (c_void_p, c_int64, c_void_p, c_void_p), False),
    "alcore_tokenizer_encode": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p), True),
    "alcore_tokenizer_train_vocabulary": (c_int32, (c_void_p, c_void_p, c_void_p, c_int64, c_char_p, c_void_p), True),
    "alcore_tokenizer_decode": (c_int32, (c_void_p, c_void_p, c_int64, c_int32, c_size_t, c_void_p, c_void_p), True),
    "alcore_tokens_ref": (c_void_p, (c_void_p,), False),
    "alcore_tokens_unref": (None, (c_void_p,), False),
    "alcore_tokens_count": (c_int64, (c_void_p,), False),
    "alcore_tokens_get": (c_int32, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p), False),
    "alcore_extra_struct_begin": (c_int32, (c_void_p, c_size_t, c_char_p), False),
    "alcore_version": (c_char_p, (), False),
    "alcore_abi": (c_int32, (), False),
    "alcore_feature": (c_int32, (c_char_p,), False),
    "alcore_build_info": (c_char_p, (), False),
}
