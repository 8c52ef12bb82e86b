// A question about a pod is rejected with a reason, or answered: the pod is admitted, and a pod
// that was changed is not changed again. Nothing that a body says ends the program.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "injector/core/admission.hpp"
#include "tests/support/fake_api_patch.hpp"

namespace bellows::injector {
namespace {

void fuzz(std::string_view body) {
  const auto request = read_review(body);
  if (!request) {
    CHECK(!request.error().message().empty(), "a rejection has a reason");
    return;
  }
  CHECK(!request->uid.empty(), "an answer has a uid");
  InjectOptions options;
  options.image = "example/queue-proxy:1";
  options.is_native = !body.empty() && body.size() % 2 == 0;
  const Admission admission = admit(*request, options);
  const std::string text = review_text(request->uid, admission);
  CHECK(boost::json::parse(text).at("response").at("allowed").as_bool(), "a pod is admitted");
  if (admission.patch.empty()) return;
  boost::json::value pod = boost::json::parse(request->pod);
  CHECK(test::apply_json_patch(pod, admission.patch).has_value(), "the patch fits the pod");
  const Admission again =
      admit({.uid = "u", .name_space = {}, .pod = boost::json::serialize(pod)}, options);
  CHECK(again.patch.empty(), "the second time changes nothing");
}

}  // namespace
}  // namespace bellows::injector

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bellows::injector::fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
