#define FUZZ_FORMAT import_codspeed
#include "fuzz_import.h"
