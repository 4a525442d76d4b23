#define FUZZ_FORMAT import_criterion
#define FUZZ_BESIDE "{\"group_id\":\"g\",\"function_id\":\"f\",\"value_str\":\"20\"}"
#include "fuzz_import.h"
