// The rules about time limits that services and queue-proxies share. Both structs have members of
// the same names.
#pragma once

#include "config/schema.hpp"

namespace bellows::config {

/// Adds the rules that the time limit of a part of a request is at most that of the whole request.
template <class Settings>
void add_time_limit_rules(Schema<Settings>& schema) {
  schema.add_rule(
      {{"revision-response-start-timeout", "revision-timeout"},
       [](const Settings& s) {
         return s.request_timeout == Duration::zero() ||
                s.response_start_timeout <= s.request_timeout;
       },
       "revision-response-start-timeout at most revision-timeout",
       "duration(self.revisionTimeout) == duration('0s') || "
       "duration(self.revisionResponseStartTimeout) <= duration(self.revisionTimeout)"});
  schema.add_rule({{"revision-idle-timeout", "revision-timeout"},
                   [](const Settings& s) {
                     return s.request_timeout == Duration::zero() ||
                            s.idle_timeout <= s.request_timeout;
                   },
                   "revision-idle-timeout at most revision-timeout",
                   "duration(self.revisionTimeout) == duration('0s') || "
                   "duration(self.revisionIdleTimeout) <= duration(self.revisionTimeout)"});
}

}  // namespace bellows::config
