/* SPDX-License-Identifier: Apache-2.0 */
/* The torch that models run on (doctor_torch.h). */
#include "doctor_torch.h"

#include <stdlib.h>
#include <string.h>

/* Tries copies[0 .. found - 1] until one can be used; the others are left out of the report. */
static void try_copies(torch_report *report, int found) {
    while (report->count < found && !report->usable) {
        torch_copy *copy = &report->copies[report->count++];
        torch_try(copy);
        report->usable = !*copy->reason;
    }
}

/* --torch [DIR]: finds and tries copies, and lets this run use the one that was chosen. */
static int choose_torch(const char *folder, torch_report *report) {
    if (folder && !torch_copy_at(folder, &report->copies[0]))
        return complain(EXIT_USAGE,
                        "--torch %s: no libtorch_cpu.so is there; give the folder of the package, "
                        "such as .../site-packages/torch",
                        folder);
    try_copies(report, folder ? 1 : torch_search(report->copies));
    if (report->usable) torch_setting_use(report->copies[report->count - 1].folder);
    return EXIT_DONE;
}

int doctor_torch(const arguments *args, torch_report *report) {
    const char *folder = option_value(args, OPTION_TORCH, NULL);
    const bool write = option_given(args, OPTION_WRITE);

    report->count = 0;
    report->usable = report->kept = false;
    if (!option_given(args, OPTION_TORCH))
        return write ? complain(EXIT_USAGE, "--write needs --torch, whose folder it keeps")
                     : EXIT_DONE;
    if (folder && !strcmp(folder, "none"))
        return write ? torch_setting_write(NULL)
                     : complain(EXIT_USAGE, "--torch none needs --write: it forgets what is kept");
    int code = choose_torch(folder, report);
    if (code != EXIT_DONE || !write || !report->usable) return code;
    report->kept = true;
    return torch_setting_write(report->copies[report->count - 1].folder);
}

void doctor_torch_print(const torch_report *report) {
    char file[TORCH_SETTING_BYTES];
    for (int i = 0; i < report->count; i++) {
        const torch_copy *copy = &report->copies[i];
        printf("torch %s in %s: %s%s\n", *copy->version ? copy->version : "of an unknown release",
               copy->folder, *copy->reason ? "not usable: " : "usable", copy->reason);
    }
    if (report->kept && torch_setting_file(file))
        printf("later runs use it too: kept in %s%s\n", file,
               getenv("ALCORE_TORCH_LIBDIR") ? " (ALCORE_TORCH_LIBDIR goes before it)" : "");
    else if (report->usable)
        puts("this run uses it; with --write later runs use it too");
}

json_t *doctor_torch_json(const torch_report *report) {
    json_t *list = json_array();
    for (int i = 0; i < report->count; i++) {
        const torch_copy *copy = &report->copies[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:s}", "folder", copy->folder,
                                              "version", copy->version, "usable", !*copy->reason,
                                              "detail", copy->reason));
    }
    return list;
}

int doctor_torch_outcome(const arguments *args, const torch_report *report) {
    const char *folder = option_value(args, OPTION_TORCH, "");
    if (!option_given(args, OPTION_TORCH) || report->usable || !strcmp(folder, "none"))
        return EXIT_DONE;
    if (report->count)
        return complain(EXIT_MODULE, "--torch: models cannot run on %s",
                        report->count == 1 ? "this torch" : "any torch that was found");
    return complain(EXIT_MODULE,
                    "--torch: no torch is in the virtual environment, beside this command, below "
                    "the prefixes of $PATH or in ~/.local; install one (pip install torch), "
                    "activate its environment, or name its folder: --torch DIR");
}
