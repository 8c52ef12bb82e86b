#include "cli/uninstall/kinds.hpp"

#include <string>
#include <utility>

namespace bellows::cli {

using kubernetes::Resource;

namespace {

Resource admission(std::string plural) {
  return {"admissionregistration.k8s.io", "v1", std::move(plural)};
}

Resource rbac(std::string plural) {
  return {"rbac.authorization.k8s.io", "v1", std::move(plural)};
}

}  // namespace

std::vector<Resource> kinds_of_injection() {
  return {admission("mutatingwebhookconfigurations"), admission("mutatingadmissionpolicybindings"),
          admission("mutatingadmissionpolicies")};
}

std::vector<Resource> kinds_of_programs() {
  return {kubernetes::deployments(),
          {"apps", "v1", "daemonsets"},  // activators on each node
          kubernetes::services(),
          {"networking.k8s.io", "v1", "networkpolicies"}};
}

std::vector<Resource> kinds_around_programs() {
  return {rbac("clusterrolebindings"),
          rbac("clusterroles"),
          rbac("rolebindings"),
          rbac("roles"),
          {"", "v1", "serviceaccounts"},
          {"monitoring.coreos.com", "v1", "podmonitors"},
          {"monitoring.coreos.com", "v1", "prometheusrules"},
          {"cert-manager.io", "v1", "certificates"},
          {"cert-manager.io", "v1", "issuers"}};
}

std::vector<Resource> kinds_of_users() {
  return {{"", "v1", "configmaps"},
          {"", "v1", "secrets"},
          {"", "v1", "services"},
          {"", "v1", "serviceaccounts"},
          {"", "v1", "persistentvolumeclaims"},
          kubernetes::pods(),
          kubernetes::deployments(),
          kubernetes::stateful_sets(),
          {"apps", "v1", "daemonsets"},
          {"batch", "v1", "jobs"},
          {"batch", "v1", "cronjobs"},
          {"networking.k8s.io", "v1", "ingresses"},
          {"networking.k8s.io", "v1", "networkpolicies"},
          rbac("rolebindings")};
}

}  // namespace bellows::cli
