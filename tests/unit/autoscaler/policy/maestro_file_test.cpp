// bellows convert maestro: every shape that a scheduler's YAML has, and its mistakes.
#include "autoscaler/core/policy/maestro_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "autoscaler/triggers/trigger_config.hpp"
#include "base/yaml/document_reader.hpp"

namespace bellows::autoscaler {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Result<std::string> convert(const std::string& text) {
  const auto document = yaml::parse_document("room.yaml", text);
  if (!document) return fail(document.error().front());
  return converted_scheduler(*document);
}

std::string converted(const std::string& text) {
  const auto yaml = convert(text);
  EXPECT_TRUE(yaml.has_value()) << to_string(yaml.error());
  return yaml.value_or("");
}

std::string error_of(const std::string& text) {
  const auto yaml = convert(text);
  EXPECT_FALSE(yaml.has_value()) << *yaml;
  return yaml ? std::string() : to_string(yaml.error());
}

TEST(MaestroFile, GivesAServiceWithItsCommandRequestsAndTriggers) {
  const std::string yaml = converted(R"(name: pong
game: pong
image: pong:1.2
cmd: ["./pong", "-p", "80"]
requests:
  memory: 1Gi
  cpu: 1000m
autoscaling:
  min: 100
  max: 1000
  up:
    metricsTrigger:
      - type: room
        usage: 70
        threshold: 80
        time: 600
        limit: 85
    cooldown: 300
  down:
    metricsTrigger:
      - type: cpu
        usage: 50
        threshold: 80
        time: 900
    cooldown: 200
)");
  EXPECT_THAT(yaml, HasSubstr("- name: pong\n"));
  EXPECT_THAT(yaml, HasSubstr(R"(command: ["./pong","-p",80])"));
  EXPECT_THAT(yaml, HasSubstr("policy: triggers\n"));
  EXPECT_THAT(yaml, HasSubstr(R"(requests: {"memory":"1Gi","cpu":"1000m"})"));
  EXPECT_THAT(yaml, HasSubstr(R"("min":100,"max":1000)"));
  EXPECT_THAT(yaml, HasSubstr(R"("up":{"cooldown":300,"metricsTrigger":[{"type":"room","usage":70,)"
                              R"("threshold":80,"time":600,"limit":85}]})"));
  EXPECT_THAT(yaml,
              HasSubstr(R"("down":{"cooldown":200,"metricsTrigger":[{"type":"cpu","usage":50,)"
                        R"("threshold":80,"time":900}]})"));
  EXPECT_THAT(yaml,
              StartsWith("# Not converted, because Bellows has nothing like it or it is set "
                         "elsewhere:\n#   room.yaml:2: game\n#   room.yaml:3: image\nservices:\n"));
}

constexpr std::string_view kVersion10 = R"(name: shop
game: shop
portRange: {start: 40000, end: 60000}
maxSurge: 30%
matchAllocation: {maxMatches: 1}
spec:
  terminationGracePeriod: '100'
  containers:
    - name: room
      image: room:1.2
      command: [./room, "$PORT"]
      environment:
        - name: REGION
          value: eu
        - name: NODE
          valueFrom: {fieldRef: {fieldPath: spec.nodeName}}
      requests: {memory: 20Mi, cpu: 100m}
      limits: {memory: 200Mi, cpu: 200m}
      ports: [{name: game, protocol: udp, port: 12345}]
    - name: sidecar
      image: sidecar
  toleration: maestro
autoscaling:
  enabled: true
  min: 1
  max: -1
  cooldown: 60
  policy:
    type: roomOccupancy
    parameters:
      roomOccupancy: {readyTarget: 0.5, downThreshold: 0.2}
)";

std::string version_10(const std::string& from, const std::string& to) {
  std::string text(kVersion10);
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(MaestroFile, ASchedulerOfVersion10GivesItsRoomAndItsPolicy) {
  const std::string yaml = converted(std::string(kVersion10));
  EXPECT_THAT(
      yaml,
      HasSubstr("services:\n  - name: shop\n    command: [\"./room\",\"$PORT\"]\n"
                "    environment: {\"REGION\":\"eu\"}\n"
                "    requests: {\"memory\":\"20Mi\",\"cpu\":\"100m\"}\n"
                "    min-scale: 1\n    max-scale: 0\n    policy: roomOccupancy\n    autoscaling: "
                R"({"roomOccupancy":{"readyTarget":0.5,"downThreshold":0.2,"cooldown":60}})"
                "\n"));
}

TEST(MaestroFile, EachKeyThatIsNotConvertedIsNamedWithItsLine) {
  const std::string yaml = converted(std::string(kVersion10));
  for (const char* key :
       {"2: game", "3: portRange", "4: maxSurge", "5: matchAllocation",
        "7: spec.terminationGracePeriod", "9: spec.containers[0].name",
        "10: spec.containers[0].image", "15: spec.containers[0].environment[1]",
        "18: spec.containers[0].limits (cpu-limit and memory-limit, which need "
        "control groups)",
        "19: spec.containers[0].ports", "20: spec.containers[1]", "22: spec.toleration"}) {
    EXPECT_THAT(yaml, HasSubstr(std::string("#   room.yaml:") + key + "\n"));
  }
  EXPECT_EQ(std::ranges::count(yaml, '#'), 13) << yaml;
}

TEST(MaestroFile, ABufferAndAFixedNumberOfVersion10AreConverted) {
  const std::string buffer = version_10(
      "roomOccupancy\n    parameters:\n      roomOccupancy: {readyTarget: 0.5, downThreshold: 0.2}",
      "fixedBuffer\n    parameters: {fixedBuffer: {amount: 10}}");
  EXPECT_THAT(
      converted(buffer),
      HasSubstr("policy: buffer\n    autoscaling: {\"buffer\":{\"amount\":10,\"cooldown\":60}}\n"));
  const std::string fixed = version_10("enabled: true", "enabled: false") + "roomsReplicas: 6\n";
  EXPECT_THAT(converted(fixed), HasSubstr("    min-scale: 6\n    max-scale: 6\n"));
  EXPECT_THAT(converted(fixed), Not(HasSubstr("policy: ")));
  EXPECT_THAT(converted(fixed),
              HasSubstr(": autoscaling (enabled is false, so roomsReplicas decides)\n"));
}

TEST(MaestroFile, MistakesOfVersion10NameLineKeyValueAndRange) {
  EXPECT_THAT(
      error_of(version_10("readyTarget: 0.5", "readyTarget: 5")),
      HasSubstr("room.yaml:31: autoscaling.policy.parameters.roomOccupancy.readyTarget: 5: want"));
  EXPECT_THAT(
      error_of(version_10("type: roomOccupancy", "type: magic")),
      HasSubstr(
          "room.yaml:29: autoscaling.policy.type: \"magic\": want roomOccupancy or fixedBuffer"));
  EXPECT_THAT(error_of(version_10("enabled: true", "enabled: false")),
              HasSubstr("autoscaling.enabled: false: want roomsReplicas"));
  EXPECT_THAT(error_of("name: shop\n"), HasSubstr("autoscaling: it is missing"));
}

TEST(MaestroFile, AnOldTriggerBecomesOneOfTypeRoomInItsDirection) {
  const std::string yaml = converted(R"(name: pong
image: pong
autoscaling:
  min: 2
  up:
    delta: 10
    cooldown: 60
    trigger: {usage: 60, time: 100, threshold: 80, limit: 0}
  down:
    delta: 2
    cooldown: 60
    trigger: {usage: 30, time: 200, threshold: 70}
)");
  EXPECT_THAT(yaml, HasSubstr(R"("metricsTrigger":[{"type":"room","usage":60,"threshold":80,)"
                              R"("time":100,"limit":90}])"));
  EXPECT_THAT(yaml, HasSubstr(R"("metricsTrigger":[{"type":"room","usage":30,"threshold":70,)"
                              R"("time":200}])"));
  EXPECT_THAT(yaml, HasSubstr(R"(command: ["pong"])"));
}

TEST(MaestroFile, ADeltaThatNoTriggerUsesIsNamed) {
  const std::string up =
      "name: room\n"
      "autoscaling:\n"
      "  min: 1\n"
      "  max: 9\n"
      "  up:\n"
      "    delta: 5\n"
      "    metricsTrigger:\n"
      "      - {type: room, usage: 70, threshold: 80, time: 600, delta: 3}\n";
  const std::string yaml = converted(up);
  const std::string why = " (only triggers of type legacy have one)\n";
  EXPECT_THAT(yaml, HasSubstr("#   room.yaml:6: autoscaling.up.delta" + why));
  EXPECT_THAT(yaml, HasSubstr("#   room.yaml:8: autoscaling.up.metricsTrigger[0].delta" + why));
  EXPECT_EQ(std::ranges::count(yaml, '#'), 3) << yaml;
}

TEST(MaestroFile, DirectionsThatAreMissingHaveMaestrosDefaults) {
  const std::string yaml = converted("name: pong\nautoscaling: {min: 1}\n");
  EXPECT_THAT(yaml, Not(HasSubstr("metricsTrigger")));
  const auto read = json::parse(R"({"min":1})");
  const triggers::Config config = triggers::read_config(*read).value();
  for (const triggers::Direction* direction : {&config.up, &config.down}) {
    EXPECT_EQ(direction->cooldown, std::chrono::seconds(600));
    ASSERT_EQ(direction->triggers.size(), 1U);
    const triggers::Trigger& trigger = direction->triggers.front();
    EXPECT_EQ(trigger.type, triggers::TriggerType::kRoom);
    EXPECT_EQ(trigger.usage, 80);
    EXPECT_EQ(trigger.threshold, 80);
    EXPECT_EQ(trigger.points, 60);
    EXPECT_EQ(trigger.limit, direction == &config.up ? 90 : 0);
  }
}

TEST(MaestroFile, ADirectionMayHaveBothFormsAndTheListCounts) {
  const std::string yaml = converted(R"(name: pong
autoscaling:
  enablePanicScale: true
  up:
    delta: 4
    trigger: {usage: 60, limit: 75}
    metricsTrigger: [{type: memory, usage: 70}]
)");
  EXPECT_THAT(yaml, HasSubstr(R"("enablePanicScale":true)"));
  EXPECT_THAT(yaml,
              HasSubstr(R"("delta":4,"trigger":{"limit":75},"metricsTrigger":[{"type":"mem")"));
}

TEST(MaestroFile, TypeLegacyKeepsItsConstant) {
  const std::string yaml = converted(R"(name: pong
autoscaling:
  up: {metricsTrigger: [{type: legacy, usage: 60, delta: 5}]}
  down: {metricsTrigger: [{type: legacy, usage: 30, delta: -5}]}
)");
  EXPECT_THAT(yaml, HasSubstr(R"("delta":5)"));
  EXPECT_THAT(yaml, HasSubstr(R"("delta":-5)"));
}

TEST(MaestroFile, WhatIsWrittenIsReadAgainToTheSame) {
  const std::string once = converted(R"(name: pong
autoscaling:
  min: 2
  max: 9
  enablePanicScale: true
  up: {delta: 3, trigger: {usage: 60, limit: 70}, cooldown: 9}
)");
  const std::string parameters = once.substr(once.find("autoscaling: "));
  const std::string again = converted("name: pong\n" + parameters);
  EXPECT_EQ(again.substr(again.find("autoscaling: ")), parameters);
}

TEST(MaestroFile, MistakesNameLineKeyValueAndRange) {
  const std::string up = "name: pong\nautoscaling:\n  min: 2\n  up:\n    metricsTrigger:\n";
  EXPECT_THAT(error_of(up + "      - type: room\n        usage: 0\n"),
              HasSubstr("room.yaml:7: autoscaling.up.metricsTrigger[0].usage: 0: want"));
  EXPECT_THAT(error_of(up + "      - type: room\n        time: 9\n"),
              HasSubstr("room.yaml:7: autoscaling.up.metricsTrigger[0].time: 9: want"));
  EXPECT_THAT(error_of(up + "      - type: disk\n"),
              HasSubstr("room.yaml:6: autoscaling.up.metricsTrigger[0].type: \"disk\": want"));
  EXPECT_THAT(error_of("name: pong\nautoscaling:\n  mni: 2\n"),
              HasSubstr("room.yaml:3: autoscaling.mni"));
  EXPECT_THAT(error_of("name: pong\nautoscaling:\n  mni: 2\n"), HasSubstr("perhaps min"));
  EXPECT_THAT(error_of("name: pong\nautoscaling:\n  max: 2\n  min: 3\n"),
              HasSubstr("room.yaml:4: autoscaling.min: 3: want a number from 0 to max, 2"));
  EXPECT_THAT(
      error_of(up + "      - {type: room, usage: 40}\n  down:\n    metricsTrigger:\n"
                    "      - {type: room, usage: 50}\n"),
      HasSubstr("room.yaml:6: autoscaling.up.metricsTrigger[0].usage: 40: want at least 50"));
  EXPECT_THAT(error_of("name: pong\n"), HasSubstr("autoscaling: it is missing"));
}

TEST(MaestroFile, TheExampleOfMaestrosDocumentationIsTakenAsItStands) {
  const std::string yaml = converted(R"(name: gru
requests:
  memory: 1Gi
  cpu: 1000m
autoscaling:
  min: 100                  # minimum amount of GRUs
  max: 1000                 # maximum amount of GRUs
  up:
    metricsTrigger:         # Autoscaling respect the order of the triggers. The first that matches will autoscale
      - type: room          # can be room, cpu or memory
        threshold: 80       # percentage of the points that are above 'usage' needed to trigger scale up
        usage: 70           # minimum usage (percentage) that can trigger the scaling policy
        time: 600           # duration in seconds to wait before scaling policy takes place
     - type: mem
        threshold: 80
        usage: 70
        time: 600
    cooldown: 300           # duration in seconds to wait before consecutive scaling
  down:
    metricsTrigger:
      - type: cpu
        threshold: 80
        usage: 50
        time: 900
    cooldown: 300
)");
  EXPECT_THAT(yaml, HasSubstr(R"({"type":"mem","usage":70,"threshold":80,"time":600,"limit":90})"));
}

}  // namespace
}  // namespace bellows::autoscaler
