#define FUZZ_FORMAT import_mitata
#include "fuzz_import.h"
