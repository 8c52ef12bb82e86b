// The saved state of the default policy.
#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/hybrid_container.hpp"
#include "recommender/core/saved.hpp"

namespace bellows::recommender {

void HybridResource::save(json::Writer& line) const {
  steady.save(line, "steady");
  startup.save(line, "startup");
  if (target) line.number("target", *target);
  saved::write(line, "rose", last_rise);
  line.flag("has-news", has_news);
  line.open("raised").number("amount", hold.amount);
  line.number("used", hold.used);
  saved::write(line, "at", hold.at);
  saved::write(line, "until", hold.until);
  saved::write(line, "needed", hold.needed);
  line.number("killed", hold.killed).integer("length", hold.length.count());
  line.close().open("released");
  line.number("amount", released.amount).number("used", released.used);
  saved::write(line, "at", released.at);
  saved::write(line, "returned", released.returned);
  line.close().open("growth");
  saved::write(line, "at", growth.at);
  line.number("before", growth.before).number("last", growth.last);
  line.number("now", growth.now).close().open_list("falls");
  for (const WallTime at : scale_downs) {
    line.open();
    saved::write(line, "at", at);
    line.close();
  }
  line.close();
}

void HybridContainer::save(json::Writer& line) const {
  for (std::size_t i = 0; i < kResourceNames.size(); ++i) {
    line.open(kResourceNames[i]);
    resources[i].save(line);
    line.close();
  }
  saved::write(line, "since", since);
}

namespace {

Result<TargetHold> read_hold(const json::Object& saved) {
  TargetHold hold;
  BELLOWS_TRY(hold.amount, saved.number("amount", {.min = 0}));
  BELLOWS_TRY(hold.used, saved.number("used", {.min = 0}));
  BELLOWS_TRY(hold.at, saved::read_time(saved, "at"));
  BELLOWS_TRY(hold.until, saved::read_time(saved, "until"));
  BELLOWS_TRY(hold.needed, saved::read_time(saved, "needed"));
  BELLOWS_TRY(hold.killed, saved.number("killed", {.min = 0}));
  BELLOWS_TRY(const std::int64_t length, saved.integer("length", 0, Duration::max().count()));
  hold.length = Duration(length);
  return hold;
}

Result<ReleasedTarget> read_released(const json::Object& saved) {
  ReleasedTarget released;
  BELLOWS_TRY(released.amount, saved.number("amount", {.min = 0}));
  BELLOWS_TRY(released.used, saved.number("used", {.min = 0}));
  BELLOWS_TRY(released.at, saved::read_time(saved, "at"));
  BELLOWS_TRY(released.returned, saved::read_time(saved, "returned"));
  return released;
}

Result<UsageGrowth> read_growth(const json::Object& saved) {
  UsageGrowth growth;
  BELLOWS_TRY(growth.at, saved::read_time(saved, "at"));
  BELLOWS_TRY(growth.before, saved.number("before", {.min = 0}));
  BELLOWS_TRY(growth.last, saved.number("last", {.min = 0}));
  BELLOWS_TRY(growth.now, saved.number("now", {.min = 0}));
  return growth;
}

}  // namespace

Result<void> HybridResource::restore(const json::Object& saved) {
  BELLOWS_CHECKED(steady.restore(saved, "steady"));
  BELLOWS_CHECKED(startup.restore(saved, "startup"));
  if (saved.has("target")) {
    BELLOWS_TRY(target, saved.number("target", {.min = 0}));
  }
  BELLOWS_TRY(last_rise, saved::read_time(saved, "rose"));
  BELLOWS_TRY(has_news, saved.flag("has-news"));
  BELLOWS_TRY(const auto held, saved.object("raised"));
  BELLOWS_TRY(hold, read_hold(held));
  BELLOWS_TRY(const auto fallen, saved.object("released"));
  BELLOWS_TRY(released, read_released(fallen));
  BELLOWS_TRY(const auto grown, saved.object("growth"));
  BELLOWS_TRY(growth, read_growth(grown));
  BELLOWS_TRY(const auto falls, saved.objects("falls"));
  scale_downs.clear();
  for (const json::Object& fall : falls) {
    BELLOWS_TRY(const WallTime at, saved::read_time(fall, "at"));
    scale_downs.push_back(at);
  }
  return {};
}

Result<void> HybridContainer::restore(const json::Object& saved) {
  for (std::size_t i = 0; i < kResourceNames.size(); ++i) {
    BELLOWS_TRY(const auto object, saved.object(kResourceNames[i]));
    BELLOWS_CHECKED(resources[i].restore(object));
  }
  BELLOWS_TRY(since, saved::read_time(saved, "since"));
  return {};
}

}  // namespace bellows::recommender
