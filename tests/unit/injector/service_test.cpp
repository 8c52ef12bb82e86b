// Services and network policies beside the pods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/injector/injecting.hpp"

namespace bellows::injector {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ServiceWithANumber, LeadsToTheQueueProxy) {
  const Output named =
      injected(app_of(kNamedPort) + service_of("  - port: 80\n    targetPort: 8080\n"));
  EXPECT_THAT(named.text, HasSubstr("  - port: 80\n    targetPort: http\n"));
  EXPECT_THAT(named.report, HasSubstr("service/shop: injected: target port 8080 is http now\n"));
  EXPECT_THAT(named.report, Not(HasSubstr("rollout"))) << "running pods have a port http too";
}

TEST(ServiceWithANumber, IsToBeAppliedAfterTheRolloutIfRunningPodsLackTheName) {
  const Output output =
      injected(app_of(kHttpPort) + service_of("  - port: 80\n    targetPort: 8080\n"));
  EXPECT_THAT(output.text, HasSubstr("    targetPort: bellows-http\n"));
  EXPECT_THAT(output.report, HasSubstr("pods that run already have no port bellows-http: where "
                                       "there are any, apply service/shop when the rollout"));
}

TEST(ServiceWithoutATargetPort, GetsOne) {
  EXPECT_THAT(injected(app_of(kNamedPort) + service_of("  - port: 8080\n")).text,
              HasSubstr("  - port: 8080\n    targetPort: http\n"));
}

TEST(ServiceWithTheName, StaysAsItIs) {
  const std::string service = service_of("  - {port: 80, targetPort: http}\n");
  const Output output = injected(app_of(kNamedPort) + service);
  EXPECT_THAT(output.text, HasSubstr(service));
  EXPECT_THAT(output.report, Not(HasSubstr("service/shop")));
}

TEST(ServiceOfOtherPods, StaysAsItIs) {
  const std::string other =
      "---\napiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: b}\n"
      "spec:\n  selector: {app: shop}\n  ports: [{port: 8080}]\n";
  const std::string more =
      "---\napiVersion: v1\nkind: Service\nmetadata: {name: a}\n"
      "spec:\n  selector: {app: shop, tier: x}\n  ports: [{port: 8080}]\n";
  const Output output = injected(app_of(kNamedPort) + other + more);
  EXPECT_THAT(output.text, HasSubstr(other + more));
  EXPECT_THAT(output.report, HasSubstr("no Service of the input selects its pods: the target port "
                                       "of its Service must be http; a number bypasses"));
}

TEST(ServiceThatIsKept, IsReportedWithTheLineToChange) {
  InjectOptions options = options_of_tests();
  options.changes_services = false;
  const std::string service = service_of("  - {port: 80, targetPort: 8080}\n");
  const Output output = injected(app_of(kNamedPort) + service, options);
  EXPECT_THAT(output.text, HasSubstr(service));
  EXPECT_THAT(output.report, HasSubstr("warning: service/shop: target port 8080 bypasses the "
                                       "queue-proxy: it must be http\n"));
}

TEST(HeadlessServiceBesideAnother, IsReported) {
  const std::string headless =
      "---\napiVersion: v1\nkind: Service\nmetadata: {name: pods}\nspec:\n"
      "  clusterIP: None\n  selector: {app: shop}\n  ports: [{port: 8080}]\n";
  const Output output =
      injected(app_of(kNamedPort) + service_of("  - {port: 80, targetPort: http}\n") + headless);
  EXPECT_THAT(output.text, HasSubstr(headless));
  EXPECT_THAT(output.report, HasSubstr("warning: service/pods is headless: its callers that use "
                                       "port 8080 bypass the queue-proxy"));
}

TEST(ServiceOfTwoWorkloads, NeedsTheSameNameInBoth) {
  std::string second = app_of("        ports: [{name: web, containerPort: 8080}]\n");
  second.replace(second.find("name: shop"), 10, "name: next");
  const Output output = injected(app_of(kNamedPort) + "---\n" + second +
                                 service_of("  - {port: 80, targetPort: 8080}\n"));
  EXPECT_THAT(output.report, HasSubstr("deployment/shop: injected"));
  EXPECT_THAT(output.report, HasSubstr("deployment/next: refused: service/shop: also selects pods "
                                       "whose port is named http, not web"));
  EXPECT_THAT(output.text, HasSubstr("targetPort: http"));
}

TEST(ServiceAloneThatWasInjected, StaysAsItIs) {
  const std::string both =
      injected(app_of(kNamedPort) + service_of("  - {port: 80, targetPort: 8080}\n")).text;
  const std::string alone = both.substr(both.find("---\napiVersion: v1"));
  EXPECT_EQ(injected(alone).text, alone) << "its pods are injected elsewhere";
  EXPECT_EQ(uninjected(alone).text, service_of("  - {port: 80, targetPort: 8080}\n"));
}

TEST(NetworkPolicyForTheAppsPort, IsReported) {
  const std::string policy =
      "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"
      "metadata: {name: web}\nspec:\n  podSelector: {matchLabels: {app: shop}}\n"
      "  ingress: [{ports: [{port: 8080}]}]\n";
  EXPECT_THAT(injected(app_of(kNamedPort) + policy).report,
              HasSubstr("warning: networkpolicy/web allows port 8080: add the queue-proxy's, 8012, "
                        "8013 and 8022\n"));
}

TEST(HostPort, IsReported) {
  EXPECT_THAT(injected(app_of("        ports: [{containerPort: 8080, hostPort: 80}]\n")).report,
              HasSubstr("warning: hostPort 80 bypasses the queue-proxy"));
}

}  // namespace
}  // namespace bellows::injector
