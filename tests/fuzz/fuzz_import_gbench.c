#define FUZZ_FORMAT import_gbench
#include "fuzz_import.h"
