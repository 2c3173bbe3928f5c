/* SPDX-License-Identifier: Apache-2.0 */
/* Saves a model that runs in a module, for callers and for a training that keeps the best one. */
#include "model/model_engine.h"

alcore_status alcore__engine_save(alcore_model *model, const char *path) {
    const alcore__engine_model *data = model->data;
    if (!alcore__engine_has(data, ALCORE_SYS_MODEL_SAVE))
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "model %s cannot be saved: the models of an engine can, unless they "
                            "were opened as int8",
                            model->name);
    if (data->settings.is_part)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "model %s cannot be saved: its transformer is one of several parts of "
                            "a folder, in %s",
                            model->name, data->settings.folder);
    const alcore_status status = data->engine->save(data->opened, path);
    return status == ALCORE_OK ? ALCORE_OK : alcore__fail_callback(status, data->engine->engine);
}
