/*
 * Symbol names: demangled, and shortened for tables.
 */
#ifndef RELOCK_STATS_REPORT_NAMES_H
#define RELOCK_STATS_REPORT_NAMES_H

/* The name as the source has it, for free(); the symbol itself when it is not mangled. */
char *name_demangle(const char *symbol);

/*
 * The name without template arguments, parameters, return type, ABI tags, clone suffixes and
 * anonymous namespaces: "std::vector<int, A>::push_back(int&&)" is "std::vector::push_back". For
 * free().
 */
char *name_shorten(const char *name);

#endif
