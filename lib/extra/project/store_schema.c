/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of project.sqlite, form 1 (docs/projects.md). SQLite keeps these texts as they are, so
 * that opening a project compares them letter by letter.
 *
 * Rows of rounds, items, exports, answers, imports, metrics and steps are only ever added. What is
 * derived from them and changes (counts, decisions, latest) is kept so that nothing has to scan
 * them: alcore_project_verify() derives them anew and compares. */
#include "extra/project/store.h"

const char *const alcore__store_statements[] = {
    "CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    /* A file of a role. blob and reference_blob are names in blobs/; first is the number of its
     * first row in the role; the columns from format on are its alcore_read_options. */
    "CREATE TABLE files(file INTEGER PRIMARY KEY, role INTEGER NOT NULL, blob TEXT NOT NULL, "
    "bytes INTEGER NOT NULL, path TEXT NOT NULL, first INTEGER NOT NULL, rows INTEGER NOT NULL, "
    "reference_blob TEXT, reference_bytes INTEGER, format INTEGER NOT NULL, "
    "bad_lines INTEGER NOT NULL, escapes INTEGER NOT NULL, by_what INTEGER NOT NULL, "
    "text_column TEXT, reference_column TEXT, language TEXT, side TEXT, translator TEXT, "
    "system TEXT, domain TEXT) STRICT",
    "CREATE TABLE rounds(round INTEGER PRIMARY KEY, strategy TEXT NOT NULL, seed TEXT NOT NULL, "
    "budget REAL NOT NULL, unit INTEGER NOT NULL, spent REAL NOT NULL, flags INTEGER NOT NULL, "
    "provenance TEXT NOT NULL, summary TEXT NOT NULL, time TEXT NOT NULL) STRICT",
    /* kind: 0 a sentence, 1 a phrase; row: of the candidates, of a phrase that of its first
     * occurrence. */
    "CREATE TABLE items(item INTEGER PRIMARY KEY, round INTEGER NOT NULL, rank INTEGER NOT NULL, "
    "row INTEGER NOT NULL, kind INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, "
    "cost REAL, score REAL, reason TEXT NOT NULL, language TEXT, section TEXT, context TEXT, "
    "draft TEXT, UNIQUE(round, rank)) STRICT",
    /* Of each round: how many of its items are in which state, what they cost, and answers. */
    "CREATE TABLE counts(round INTEGER PRIMARY KEY, items INTEGER NOT NULL, "
    "answered INTEGER NOT NULL, open INTEGER NOT NULL, without INTEGER NOT NULL, "
    "disagreeing INTEGER NOT NULL, answers INTEGER NOT NULL, cost REAL NOT NULL, "
    "refunded REAL NOT NULL) STRICT",
    "CREATE TABLE exports(export INTEGER PRIMARY KEY, time TEXT NOT NULL, tool TEXT NOT NULL, "
    "round INTEGER NOT NULL, items INTEGER NOT NULL, batch TEXT NOT NULL, digest TEXT NOT NULL) "
    "STRICT",
    "CREATE TABLE imports(import INTEGER PRIMARY KEY, time TEXT NOT NULL, tool TEXT NOT NULL, "
    "annotator TEXT NOT NULL, digest TEXT NOT NULL, answers INTEGER NOT NULL, "
    "added INTEGER NOT NULL, unusable INTEGER NOT NULL) STRICT",
    "CREATE TABLE annotators(annotator INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",
    "CREATE TABLE answers(answer INTEGER PRIMARY KEY, import INTEGER NOT NULL, "
    "item INTEGER NOT NULL, annotator INTEGER NOT NULL, status TEXT NOT NULL, value TEXT, "
    "comment TEXT, time TEXT, seconds REAL, digest TEXT NOT NULL) STRICT",
    "CREATE INDEX answers_of_item ON answers(item, annotator, digest)",
    /* The answer of each annotator of an item that counts as his. */
    "CREATE TABLE latest(item INTEGER NOT NULL, annotator INTEGER NOT NULL, "
    "answer INTEGER NOT NULL, PRIMARY KEY(item, annotator)) STRICT, WITHOUT ROWID",
    /* What the answers of an item come to: project_decisions.c has the states. */
    "CREATE TABLE decisions(item INTEGER PRIMARY KEY, state INTEGER NOT NULL, "
    "disagreeing INTEGER NOT NULL, answer INTEGER) STRICT",
    "CREATE TABLE metrics(metric INTEGER PRIMARY KEY, round INTEGER NOT NULL, name TEXT NOT NULL, "
    "value REAL NOT NULL, time TEXT NOT NULL) STRICT",
    "CREATE TABLE steps(step INTEGER PRIMARY KEY, time TEXT NOT NULL, what TEXT NOT NULL, "
    "arguments TEXT NOT NULL, result TEXT NOT NULL) STRICT",
    NULL};
