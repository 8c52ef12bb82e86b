// A list or a watch gives the same objects and the same errors wherever its bytes are split, and
// every kind reads what comes out or rejects it with a reason. The first byte says where to split.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "kubernetes/core/autoscalers.hpp"
#include "kubernetes/core/custom_object.hpp"
#include "kubernetes/core/endpoint_slice.hpp"
#include "kubernetes/core/event.hpp"
#include "kubernetes/core/event_reader.hpp"
#include "kubernetes/core/item_reader.hpp"
#include "kubernetes/core/lease.hpp"
#include "kubernetes/core/pod.hpp"
#include "kubernetes/core/scale.hpp"
#include "kubernetes/core/scale_target.hpp"
#include "kubernetes/core/service.hpp"
#include "kubernetes/core/status.hpp"

namespace bellows::kubernetes {
namespace {

/// What all kinds read.
FieldSet all_fields() {
  FieldSet fields;
  for (const FieldSet* one :
       {&Pod::fields(), &ScaleTarget::fields(), &Service::fields(), &EndpointSlice::fields(),
        &HorizontalPodAutoscaler::fields(), &ScaledObject::fields(), &Scale::fields(),
        &CustomObject::fields(), &Lease::fields(), &Event::fields()}) {
    fields.add(*one);
  }
  return fields;
}

template <class T>
void read_as(const boost::json::object& object) {
  const Result<T> read = T::from(object);
  if (read) {
    CHECK(!read->meta.name.empty(), "an object has a name");
  } else {
    CHECK(!read.error().culprit().empty(), "an error names its culprit");
    CHECK(!read.error().message().empty(), "an error says what is wrong");
  }
}

std::string read_as_all(const boost::json::object& object) {
  read_as<Pod>(object);
  read_as<ScaleTarget>(object);
  read_as<Service>(object);
  read_as<EndpointSlice>(object);
  read_as<HorizontalPodAutoscaler>(object);
  read_as<ScaledObject>(object);
  read_as<Scale>(object);
  read_as<CustomObject>(object);
  read_as<Lease>(object);
  read_as<Event>(object);
  read_status(object);
  return boost::json::serialize(object);
}

/// What came, in order; an error of the whole answer last.
using Notes = std::vector<std::string>;

Notes list_of(std::string_view bytes, std::size_t cut) {
  static const FieldSet kFields = all_fields();
  Notes notes;
  ItemReader reader(
      kFields,
      [&notes](const boost::json::object& item) {
        notes.push_back(read_as_all(item));
        return Result<void>();
      },
      [&notes](const Error& error) { notes.push_back(to_string(error)); });
  const bool fed = reader.feed(bytes.substr(0, cut)) && reader.feed(bytes.substr(cut));
  const auto list = reader.finish();
  CHECK(fed || !list, "an error stays");
  notes.push_back(list ? list->resource_version + list->continue_token : to_string(list.error()));
  return notes;
}

Notes watch_of(std::string_view bytes, std::size_t cut) {
  static const FieldSet kFields = all_fields();
  Notes notes;
  EventReader reader(
      kFields,
      [&notes](const WatchEvent& event) {
        notes.push_back(read_as_all(event.object));
        return Result<void>();
      },
      [&notes](const Error& error) { notes.push_back(to_string(error)); });
  const auto first = reader.feed(bytes.substr(0, cut));
  const auto second = reader.feed(bytes.substr(cut));
  CHECK(first || !second, "an error stays");
  notes.push_back(second ? std::string() : to_string(second.error()));
  CHECK(second || !reader.at_boundary(), "a broken watch is at no boundary");
  return notes;
}

void fuzz(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto wanted = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  const std::size_t cut = bytes.size() * wanted / 256;
  CHECK(list_of(bytes, 0) == list_of(bytes, cut), "a split does not change a list");
  CHECK(watch_of(bytes, 0) == watch_of(bytes, cut), "a split does not change a watch");
}

}  // namespace
}  // namespace bellows::kubernetes

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bellows::kubernetes::fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
