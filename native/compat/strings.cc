// The headers leave the members of strings to the runtime library, whose objects bring exceptions, locales and an unwinder along.
#include <string>

template class std::basic_string<char>;
