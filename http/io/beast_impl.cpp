// Beast's non-template code, compiled once here for every program
// (BOOST_BEAST_SEPARATE_COMPILATION).
#include <boost/beast/src.hpp>
