/* SPDX-License-Identifier: Apache-2.0 */
/* Names from other packages (hints.h): small-text, scikit-activeml, modAL and baal for strategies,
 * sacreBLEU and seqeval for measures, transformers for options. A name that is looked up and not
 * found is looked for here first; only then the most similar name is suggested, which for these
 * would mislead ("dal" is not a misspelt "bald"). tests/engines/current/make_hints.py lists what
 * the packages have, at pinned versions.
 *
 * Names are compared without case, "_", "-" and spaces, and where nothing is found without
 * "sampling", "strategy" or "querystrategy" at their ends. A hint is the end of a sentence, "there
 * is no strategy \"BreakingTies\"; " ...; it names no option of the command and no function, as
 * users of every language read it. */
#include "base/hints.h"

#include <string.h>

#include "base/alternatives.h"
#include "base/base.h"

typedef struct hint_row {
    int32_t kinds; /* ALCORE_HINT_* bits, all of which are asked for */
    const char *names, *hint;
} hint_row;

/* What several rows say. */
#define SEVERAL_MODELS                                                                             \
    "bald, variance and qbc (with its measures) rank by the outputs of several models or "         \
    "samples, "                                                                                    \
    "which are the column sample_probs"
#define NOT_HERE_COVER                                                                             \
    "it is not here; typiclust (clusters, for small budgets), probcover and kcenter (covers) and " \
    "idds (density) "                                                                              \
    "choose by embeddings too"
#define NOT_HERE                                                                                   \
    "it is not here; give its score as the column scores, by which nnll ranks, or write it as a "  \
    "strategy of your own"
#define LABELS                                                                                     \
    "entropy, margin and lc score independent labels: say that probs are multilabel, and choose "  \
    "labels=mean or max"
/* The kind of a name that is an option of a measure. */
#define MEASURE_OPTION (ALCORE_HINT_METRIC | ALCORE_HINT_OPTION)
#define BUDGET "the budget says how many: 10 items are \"10\", 1000 words \"1000w\""

static const hint_row ROWS[] = {
    /* ---- strategies and scores ---- */
    {ALCORE_HINT_STRATEGY,
     "leastconfidence|leastconfident|uncertaintysampling|classifieruncertainty|confidence|"
     "maxconfidence|certainty|uncertaintyscores|uncertaintyzliobaite|fixeduncertainty|"
     "variableuncertainty|randomvariableuncertainty|confidencebased",
     "least confidence is called lc"},
    {ALCORE_HINT_STRATEGY,
     "breakingties|smallestmargin|classifiermargin|marginuncertainty|bestvssecondbest|bvsb",
     "it is called margin"},
    {ALCORE_HINT_STRATEGY,
     "predictionentropy|maxentropy|classifierentropy|predictiveentropy|tokenentropy",
     "it is called entropy"},
    {ALCORE_HINT_STRATEGY, "uniform|streamrandom|periodic|singleannotatorwrapper|split",
     "rows are drawn by random"},
    {ALCORE_HINT_STRATEGY,
     "coreset|greedycoreset|kcentergreedy|kgreedycenter|lightweightcoreset|furthestfirst|kcenters|"
     "greedyx|greedysamplingx|greedytarget|greedysamplingtarget",
     "the greedy core-set is called kcenter"},
    {ALCORE_HINT_STRATEGY,
     "kmeans|embeddingkmeans|embeddingbased|cluster|clustering|clusterbased|clue",
     "bertkm takes the rows nearest to the centroids of k-means over embeddings; huds has "
     "k_clusters"},
    {ALCORE_HINT_STRATEGY,
     "baldgpuwrapper|batchbald|greedybald|powerbald|epig|variationratios|variationratio|meanstd|"
     "maxstd|mcdropout|querybycommittee|committee|committeeregressor|"
     "voteentropy|consensusentropy|klmaxdisagreement|maxdisagreement|averagekldivergence|"
     "kldivergencemaximization|disagreement|ensemble|expectedmodelvariancereduction",
     SEVERAL_MODELS},
    {ALCORE_HINT_STRATEGY, "maxherding|dropquery|falcun|activeft|cold", NOT_HERE_COVER},
    {ALCORE_HINT_STRATEGY, "contrastiveactivelearning|contrastiveal|cal",
     "contrastive active learning is called contrastive"},
    {ALCORE_HINT_STRATEGY, "discriminativeactivelearning|discriminativeal|dal",
     "it is not here; idds takes rows that are like the pool and unlike what is labeled"},
    {ALCORE_HINT_STRATEGY,
     "informationdensity|densityweighted|density|streamdensitybasedal|"
     "cognitivedualquerystrategy|cognitivedualquerystrategyran|cognitivedualquerystrategyfixun|"
     "cognitivedualquerystrategyvarun|cognitivedualquerystrategyranvarun|representativeness",
     "idds and diversity weigh how typical a row is of the pool; huds adds uncertainty to it"},
    {ALCORE_HINT_STRATEGY,
     "rankedbatch|uncertaintybatch|batchmode|similarizedistance|selectinstance|"
     "selectcoldstartinstance",
     "badge chooses unlike rows of a batch, and max_similarity passes over rows like a pick"},
    {ALCORE_HINT_STRATEGY,
     "seals|anchorsubsampling|subsampling|subsamplingwrapper|parallelutilityestimationwrapper",
     "the parameter candidates draws the rows that a strategy looks at"},
    {ALCORE_HINT_STRATEGY,
     "categoryvectorinconsistencyandranking|cvirs|svmbinaryminimum|maxloss|meanmaxloss|"
     "minconfidence|avgconfidence|maxscore|avgscore|multilabel",
     LABELS},
    {ALCORE_HINT_STRATEGY,
     "expectedmodelchange|expectedmodelchangemaximization|expectedgradientlength",
     "the expected gradient length of a linear head is called egl"},
    {ALCORE_HINT_STRATEGY,
     "expectederrorreduction|montecarloeer|valueofinformationeer|expectedmodeloutputchange|quire|"
     "fourds|probabilistical|mcpal|"
     "streamprobabilistical|costreduction|costembeddingal|epistemicuncertainty|"
     "regressiontreebasedal|intervalestimationthreshold|intervalestimationannotmodel|"
     "expectedaverageprecision|bayesianoptimizer|pi|ei|ucb|maxpi|maxei|maxucb|optimizerpi|"
     "optimizerei|optimizerucb|gibbs|rankbased|power|powerentropy|precomputed|combineheuristics|"
     "stochasticheuristic|abstractheuristic|learningloss",
     NOT_HERE},
    {ALCORE_HINT_STRATEGY, "activelearner|deepactivelearner",
     "a loop is a call a round: the number of the round, and what is labeled, are given to each"},
    {ALCORE_HINT_STRATEGY, "bertkmeans", "it is called bertkm"},
    {ALCORE_HINT_STRATEGY, "normalizedsequenceprobability|sequenceprobability|asp",
     "it is called nsp"},
    {ALCORE_HINT_STRATEGY, "mnlp|maximumnormalizedlogprobability",
     "it is uncertainty with mode=mnlp"},
    {ALCORE_HINT_STRATEGY, "nll|loss|perplexity|ppl",
     "the mean negative log-likelihood is called nnll"},
    {ALCORE_HINT_STRATEGY, "sumprob", "it is uncertainty with mode=sum-prob"},
    /* ---- measures ---- */
    {ALCORE_HINT_METRIC, "sacrebleu|corpusbleu|rawcorpusbleu|sentencebleu|bleuscore",
     "it is called bleu"},
    {ALCORE_HINT_METRIC, "chrf2|chrf++|chrfpp|corpuschrf|sentencechrf|chrfscore",
     "it is called chrf"},
    {ALCORE_HINT_METRIC, "corpuster|sentenceter|translationeditrate|terscore", "it is called ter"},
    {ALCORE_HINT_METRIC,
     "classificationreport|f1score|precisionscore|recallscore|precisionrecallfscoresupport|seqeval|"
     "performancemeasure|getentities|conlleval|spanf1",
     "f1 has the spans' precision, recall and F1, of each type and of all"},
    {ALCORE_HINT_METRIC, "accuracyscore", "it is called accuracy"},
    {ALCORE_HINT_METRIC, "macrof1score", "it is called macro-f1"},
    {ALCORE_HINT_METRIC, "comet|cometkiwi|bleurt|bertscore|metricx|rouge|meteor",
     "it is not here: it needs a model, or a tool of its own"},
    /* ---- options of measures, of which a letter means something else elsewhere, so that
     * these stand before them ---- */
    {MEASURE_OPTION, "lowercase|lc|chrflowercase",
     "bleu and chrf compare texts as they are; give texts in lower case"},
    {MEASURE_OPTION, "tok", "it is called tokenize"},
    {MEASURE_OPTION, "smoothmethod|smoothvalue|s|sv",
     "it is called smooth, with its value behind \"=\""},
    {MEASURE_OPTION, "tercasesensitive|casesensitive", "it is called cased"},
    {MEASURE_OPTION, "terasiansupport|ternopunct|ternormalized|asiansupport|nopunct|normalized",
     "ter compares words as they are; give the texts as you want them compared"},
    {MEASURE_OPTION,
     "charorder|beta|epssmoothing|chrfcharorder|chrfwordorder|chrfbeta|cc|cw|chrfwhitespace|"
     "chrfepssmoothing",
     "chrf has character order 6 and beta 2"},
    {MEASURE_OPTION, "sentencelevel|sl", "it is called sentence"},
    {MEASURE_OPTION, "confidencen|cin|ci|pairedbsn|pbsn|nbootstrap", "it is called bootstrap"},
    {MEASURE_OPTION, "w|width", "numbers are printed with all their digits"},
    {MEASURE_OPTION, "scoreonly|b|short|sh|detail|d|nocolor|nc",
     "the value alone is what is printed"},
    {MEASURE_OPTION, "metrics|m", "the name of the measure comes first"},
    {MEASURE_OPTION,
     "testset|t|languagepair|l|langpair|origlang|ol|subset|download|echo|list|citation|cite|"
     "numrefs|nr|encoding|e|force|input|i",
     "files are named one by one, in UTF-8; test sets are not downloaded"},
    /* ---- options ---- */
    {ALCORE_HINT_OPTION, "dedup|deduplicate|dropduplicates",
     "repeats are found when the texts are read: dedup is an option of the pool"},
    {ALCORE_HINT_OPTION, "prob|proba|probability|probabilities|ypred|predictions|classprobs",
     "class probabilities are the column probs"},
    {ALCORE_HINT_OPTION, "logit", "logits are given as probs that are said to be logits"},
    {ALCORE_HINT_OPTION, "embedding|embs|vectors|features", "vectors are the column embeddings"},
    {ALCORE_HINT_OPTION, "logprob|tokenlogprobs",
     "log-probabilities of tokens are the column logprobs"},
    {ALCORE_HINT_OPTION, "score|utilities|uncertainties", "ready scores are the column scores"},
    {ALCORE_HINT_OPTION, "n|num|numsamples|ninstances|nsamples|querysize|acquisitionsize|topk|k|b",
     BUDGET},
    {ALCORE_HINT_OPTION, "indicesunlabeled|unlabeled|xpool",
     "the rows that may be chosen are named by eligible, or left out by exclude"},
    {ALCORE_HINT_OPTION, "indiceslabeled|xlabeled|xtraining",
     "what is labeled is named by labeled"},
    {ALCORE_HINT_OPTION, "costs", "what the texts cost is called cost, or costs of a pool"},
    {ALCORE_HINT_OPTION, "randomstate|randomseed|rng", "it is called seed"},
    {ALCORE_HINT_OPTION, "spread", "it is called max_similarity"},
    {ALCORE_HINT_OPTION, "strategyname|querystrategy|heuristic|acquisition",
     "it is called strategy"},
    {ALCORE_HINT_OPTION, "modelname|modelnameorpath|clf|estimator|learner", "it is called model"},
    {ALCORE_HINT_OPTION, "batchsize|perdevicetrainbatchsize|perdeviceevalbatchsize",
     "batches are sized by the library; how many rows are chosen, the budget says"},
    {ALCORE_HINT_OPTION, "devicemap|cuda|gpu", "it is called device: cpu, cuda or cuda:N"},
    {ALCORE_HINT_OPTION, "torchdtype",
     "the type of a model's weights is that of its folder, or the option dtype of an opened model"},
    {ALCORE_HINT_OPTION, "numbeams|beams|beamsize",
     "it is called beam or beams where texts are translated"},
    {ALCORE_HINT_OPTION, "maxnewtokens|maxseqlength|modelmaxlength|maxtokens",
     "it is called max_length where texts are translated"},
    {ALCORE_HINT_OPTION, "numreturnsequences|nbest",
     "it is called best where texts are translated"},
    {ALCORE_HINT_OPTION, "dosample|topp|temperature|lengthpenalty|repetitionpenalty",
     "outputs are made by greedy or beam search; a folder's own generation settings are obeyed or "
     "refused by name"},
    {ALCORE_HINT_OPTION, "numtrainepochs|epochs",
     "the length of a training is its number of updates"},
    {ALCORE_HINT_OPTION, "learningrate|lr", "it is called rate in the configuration of a training"},
    {MEASURE_OPTION, "averaging|average|zerodivision|digits|outputdict|suffix",
     "f1 and macro-f1 name their averages themselves"},
};

/* The name as it is compared: out [64]. */
static void normalize(const char *name, char out[64]) {
    size_t length = 0;
    for (; *name && length < 63; name++) {
        if (*name == '_' || *name == '-' || *name == ' ') continue;
        out[length++] = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
    }
    out[length] = '\0';
}

/* The hint of a normalized name; NULL: there is none. */
static const char *find(int32_t kinds, const char *name) {
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const char *rest = ROWS[i].names, *word;
        size_t length;
        if ((ROWS[i].kinds & kinds) != ROWS[i].kinds) continue;
        while (alcore__alternatives_next(&rest, &word, &length))
            if (alcore__alternative_is(word, length, name)) return ROWS[i].hint;
    }
    return NULL;
}

/* Cuts an ending of a normalized name that says only what kind of thing it names; false: it has
 * none. */
static bool cut_ending(char *name) {
    static const char *const endings[] = {"querystrategy", "strategy", "sampling"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t cut = strlen(endings[i]);
        if (length <= cut || strcmp(name + length - cut, endings[i]) != 0) continue;
        name[length - cut] = '\0';
        return true;
    }
    return false;
}

const char *alcore_hint(int32_t kind, const char *name) {
    char plain[64];
    const int32_t known = ALCORE_HINT_STRATEGY | ALCORE_HINT_METRIC | ALCORE_HINT_OPTION;
    if (!name || (kind & ~known) != 0) return NULL;
    normalize(name, plain);
    const char *found = find(kind, plain);
    return !found && cut_ending(plain) ? find(kind, plain) : found;
}

bool alcore__same_name(const char *a, const char *b) {
    char one[64], other[64];
    normalize(a, one);
    normalize(b, other);
    return strcmp(one, other) == 0 || (cut_ending(one) && strcmp(one, other) == 0);
}

bool alcore__hint_row(int32_t kind, int64_t index, const char **out_names, const char **out_hint) {
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        if (ROWS[i].kinds != kind || index-- > 0) continue;
        *out_names = ROWS[i].names;
        *out_hint = ROWS[i].hint;
        return true;
    }
    return false;
}
