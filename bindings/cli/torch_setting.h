/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of libtorch that `alcore doctor --torch --write` keeps for later runs: one line in the
 * file alcore/torch of the user's configuration folder ($XDG_CONFIG_HOME, else ~/.config). */
#ifndef ALCORE_CLI_TORCH_SETTING_H
#define ALCORE_CLI_TORCH_SETTING_H

enum { TORCH_SETTING_BYTES = 4096 };

/* The folder that this run uses: that of torch_setting_use(), else the one that is kept; NULL where
 * there is none, or $ALCORE_TORCH_LIBDIR names one, which goes before what is kept. It is in
 * `folder` [TORCH_SETTING_BYTES]. */
const char *torch_setting_read(char *folder);
/* Names the folder that this run uses; the text is not copied. */
void torch_setting_use(const char *folder);
/* Keeps a folder, written as an absolute path; NULL: none any more. An exit code. */
int torch_setting_write(const char *folder);
/* The file of the setting, in `out` [TORCH_SETTING_BYTES]; NULL: no variable says where it is. */
const char *torch_setting_file(char *out);
/* The folder with libtorch_cpu.so that a folder means: itself, or its lib/ (of
 * site-packages/torch). NULL: there is none. It is in `out` [TORCH_SETTING_BYTES], an absolute
 * path. */
const char *torch_folder_find(const char *folder, char *out);

#endif
