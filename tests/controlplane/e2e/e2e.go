// Package e2e imports Kubernetes' end-to-end tests, so that go.mod and go.sum have all that scripts/e2e needs to
// compile them.
package e2e

import _ "k8s.io/kubernetes/test/e2e"
