#include "cli/names.hpp"

#include <stdexcept>
#include <string>

namespace tierscope::describe {
namespace {

using kernels::Check;
using kernels::Flush;
using kernels::Place;
using kernels::Store;
using kernels::Wait;

template <class Value>
[[noreturn]] void refuse(const char* what, Value value) {
  throw std::logic_error(std::to_string(static_cast<unsigned>(value)) + " is not a " + what + "; report this");
}

}  // namespace

const char* name_of(Store store) {
  switch (store) {
    case Store::none:
      return "none";
    case Store::plain:
      return "plain";
    case Store::nt:
      return "nt";
    case Store::direct:
      return "direct";
    case Store::string:
      return "string";
    case Store::libc:
      return "libc";
  }
  refuse("kind of store", store);
}

const char* name_of(Place place) {
  switch (place) {
    case Place::lines:
      return "lines";
    case Place::grid2:
      return "grid2";
    case Place::grid3:
      return "grid3";
    case Place::tile:
      return "tile";
    case Place::crossed:
      return "crossed";
    case Place::indexed:
      return "indexed";
    case Place::drawn:
      return "drawn";
  }
  refuse("place", place);
}

const char* name_of(Flush flush) {
  switch (flush) {
    case Flush::none:
      return "none";
    case Flush::clflush:
      return "clflush";
    case Flush::clflushopt:
      return "clflushopt";
    case Flush::clwb:
      return "clwb";
    case Flush::civac:
      return "civac";
    case Flush::cvac:
      return "cvac";
    case Flush::cvap:
      return "cvap";
    case Flush::cvadp:
      return "cvadp";
    case Flush::msync:
      return "msync";
  }
  refuse("kind of flush", flush);
}

const char* name_of(Check check) {
  switch (check) {
    case Check::unstated:
      return "unstated";
    case Check::replayed:
      return "replayed";
    case Check::recomputed:
      return "recomputed";
    case Check::none:
      return "none";
  }
  refuse("kind of check", check);
}

const char* name_of(Wait wait) {
  switch (wait) {
    case Wait::none:
      return "none";
    case Wait::time:
      return "time";
    case Wait::file:
      return "file";
    case Wait::processes:
      return "processes";
  }
  refuse("kind of wait", wait);
}

}  // namespace tierscope::describe
