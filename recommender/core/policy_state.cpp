// Saves and restores the state of a policy.
#include <limits>

#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/go_arithmetic.hpp"
#include "recommender/core/policy.hpp"
#include "recommender/core/saved.hpp"

namespace bellows::recommender {

namespace {

constexpr std::string_view kFormat = "bellows-recommender-1";

}  // namespace

std::string Policy::save(WallTime now) const {
  json::Writer line;
  line.text("format", kFormat).text("policy", name());
  saved::write(line, "saved", now);
  line.open_list("containers");
  for (std::uint32_t container = 0; container < registry_.containers().size(); ++container) {
    line.open().text("name", registry_.containers()[container].name.text());
    save_container(container, line);
    line.close();
  }
  line.close().open_list("instances");
  for (std::uint32_t index = 0; index < registry_.size(); ++index) {
    const InstanceId id{index};
    if (!registry_.has(id)) continue;
    const Instance& instance = registry_.at(id);
    line.open().text("replica", instance.replica.text());
    line.text("container", registry_.containers()[instance.container].name.text());
    line.integer("request-cpu-millicores", instance.request.cpu.value);
    line.integer("request-memory-bytes", instance.request.memory.value);
    saved::write(line, "started", instance.started);
    saved::write(line, "latest-cpu", latest_[index].cpu);
    saved::write(line, "latest-memory", latest_[index].memory);
    save_instance(id, line);
    line.close();
  }
  line.close();
  return line.end_line();
}

Result<void> Policy::restore(std::string_view saved) {
  BELLOWS_TRY(const auto object, json::parse_line(saved, 1));
  BELLOWS_TRY(const std::string format, object.text("format"));
  if (format != kFormat) return fail(object.invalid("format", "\"" + std::string(kFormat) + "\""));
  BELLOWS_TRY(const std::string policy, object.text("policy"));
  if (policy != name()) return fail(object.invalid("policy", "\"" + std::string(name()) + "\""));
  // The state is restored into a new policy first, so that an error in the middle changes nothing
  // here.
  const std::unique_ptr<Policy> trial = make_policy(kind_, settings_);
  BELLOWS_CHECKED(trial->restore_parts(object));
  return restore_parts(object);
}

Result<void> Policy::restore_parts(const json::Object& saved) {
  BELLOWS_TRY(const auto containers, saved.objects("containers"));
  for (const json::Object& object : containers) {
    BELLOWS_TRY(const std::string name, object.text("name"));
    if (!registry_.find(ContainerName(name))) {
      add_container_settings(registry_.add_container(ContainerName(name)));
    }
  }
  BELLOWS_TRY(const auto instances, saved.objects("instances"));
  for (const json::Object& object : instances) {
    BELLOWS_TRY(const std::string replica, object.text("replica"));
    BELLOWS_TRY(const std::string container, object.text("container"));
    BELLOWS_TRY(const WallTime started, saved::read_time(object, "started"));
    const InstanceId id = add_instance(PodName(replica), ContainerName(container), started);
    Instance& instance = registry_.at(id);
    instance.started = started;
    BELLOWS_TRY(instance.request.cpu.value,
                object.integer("request-cpu-millicores", 0, kMaxAmount));
    BELLOWS_TRY(instance.request.memory.value,
                object.integer("request-memory-bytes", 0, kMaxAmount));
    BELLOWS_TRY(latest_[id.index].cpu, saved::read_time(object, "latest-cpu"));
    BELLOWS_TRY(latest_[id.index].memory, saved::read_time(object, "latest-memory"));
    BELLOWS_CHECKED(restore_instance(id, object));
  }
  // This is last, because adding an instance counts as seeing its container.
  for (const json::Object& object : containers) {
    BELLOWS_TRY(const std::string name, object.text("name"));
    BELLOWS_CHECKED(restore_container(*registry_.find(ContainerName(name)), object));
  }
  return {};
}

}  // namespace bellows::recommender
