# SPDX-License-Identifier: Apache-2.0
"""Numbers that the papers print, for the analyses that start from them (spec 10). They are copied, not computed."""

HUDS_TABLE_2 = {
    "Medicine": {"Random": [29.36, 30.75, 31.44, 31.93, 32.70], "NSP": [29.69, 31.39, 32.27, 32.89, 33.68],
                 "IDDS": [29.45, 31.11, 32.08, 32.76, 33.05], "HUDS": [30.76, 32.03, 33.14, 33.65, 34.58]},
    "IT": {"Random": [27.64, 28.30, 28.78, 29.28, 29.54], "NSP": [28.43, 29.26, 29.70, 30.09, 30.23],
           "IDDS": [23.81, 24.31, 24.84, 25.21, 25.41], "HUDS": [29.15, 29.69, 30.12, 30.54, 30.70]},
    "Law": {"Random": [32.60, 33.52, 34.28, 34.80, 35.21], "NSP": [32.89, 34.18, 34.73, 35.16, 35.53],
            "IDDS": [32.91, 34.12, 34.61, 35.07, 35.33], "HUDS": [33.76, 34.39, 34.89, 35.17, 35.62]},
}
HUDS_TABLE_7 = {"lambda": [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0], "Medicine": [29.6, 29.6, 29.7, 29.9, 29.7, 29.7, 29.5],
                "Law": [32.8, 32.8, 32.7, 33.0, 32.8, 32.9, 31.2], "IT": [28.7, 28.8, 28.6, 29.0, 28.7, 28.6, 28.5]}
# System, coverage of uni- to 4-grams, average BLEU.
PHR_TABLE_3 = [
    ("outside", [79.33, 32.65, 7.30, 1.10], 34.51),
    ("random sentence", [82.81, 38.45, 11.62, 3.73], 39.27),
    ("RTTL", [80.70, 35.76, 9.85, 3.04], 35.78),
    ("MRS", [82.74, 38.83, 12.01, 4.05], 39.27),
    ("random phrase", [82.36, 35.84, 7.98, 1.15], 38.23),
    ("NGF", [84.45, 41.82, 14.94, 6.17], 39.96),
    ("NGF-SMP", [85.80, 43.13, 16.15, 7.11], 40.21),
    ("NGF-SMP + MRS", [84.48, 41.89, 14.98, 6.48], 40.55),
    ("in-domain training data", [98.58, 87.30, 67.61, 52.11], 57.59),
]
# System: IDWT, WT, share, IDWC, WC, share.
PHR_TABLE_5 = {
    "random phrase": [787, 2206, 35.68, 860, 5003, 17.19], "NGF": [489, 1053, 46.44, 889, 5002, 17.77],
    "NGF-SMP": [796, 1492, 53.35, 1076, 5001, 21.52], "random sentence": [631, 1984, 31.80, 712, 5023, 14.17],
    "RTTL": [592, 1338, 44.25, 961, 5023, 19.13], "MRS": [647, 2056, 31.47, 721, 5023, 14.35],
    "NGF-SMP + MRS": [667, 1755, 38.01, 859, 5035, 17.06],
}
# Data set, target: counts of source languages.
DMX_TABLE_9 = {
    "UDPOS": {"fr": "it:3434", "tr": "et:799,fa:598,ja:890,vi:694", "ur": "de:5095,eu:84,hi:3323,mr:92,nl:556",
              "Geo": "ar:93,bg:68,et:3197,eu:84,fr:65,hi:3323,ja:890", "LPP": "hi:830"},
    "NER": {"fr": "it:572", "tr": "he:4582,mr:1015,nl:4393", "ur": "fa:4007,ms:79,ta:788,vi:62", "Geo": "bn:1000,he:572,ko:469,ms:79",
            "LPP": "bn:62,ko:4699,ml:4306"},
    "XNLI": {"fr": "ur:781,zh:6250", "tr": "ru:781,ur:6250", "ur": "hi:6250", "Geo": "ru:781,ur:6250", "LPP": "bg:6250,de:781,fr:781,vi:781"},
    "TyDiQA": {"fi": "ar:185,bn:119,id:142,ko:2,ru:1,sw:17,te:4450", "ar": "bn:14,fi:2742,ko:20,sw:4,te:2", "bn": "ar:740",
               "Geo": "ar:46,fi:2742,id:570,ko:325,ru:5,sw:8"},
}


def vectors():
    def printed(spec, about, data):
        return {"spec": spec, "about": about, "origin": "the paper, as printed", "tolerance": 0,
                "cases": [{"name": "table", "expected": data}]}

    return {
        "TV-HUDS-TABLE2": printed("10.1", "BLEU after iterations 2, 4, 6, 8, 10.", HUDS_TABLE_2),
        "TV-HUDS-TABLE7": printed("10.1", "BLEU of the first iteration by lambda.", HUDS_TABLE_7),
        "TV-PHR-TABLE3": printed("10.2", "Coverage of test n-grams and BLEU.", {
            "systems": [row[0] for row in PHR_TABLE_3], "coverage": [row[1] for row in PHR_TABLE_3], "bleu": [row[2] for row in PHR_TABLE_3]}),
        "TV-PHR-TABLE5": printed("10.2", "IDWT, WT, share, IDWC, WC, share.", PHR_TABLE_5),
        "TV-DMX-TABLE9": printed("10.3", "Labeling plans by data set and target; the columns are inferred from garbled text.", DMX_TABLE_9),
    }
