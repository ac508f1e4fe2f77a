// Package testing runs a plugin natively, in an ordinary Go test. Its Host sends nodes, pods and objects to the plugin
// as Berth does, with the declared labels and fields alone. One call asks the plugin about all nodes. Import this package
// as st, as tests of kube-scheduler do:
//
//	func TestTeams(t *testing.T) {
//		host := st.NewHost(t, `{}`)
//		host.SetNode(st.MakeNode().Name("a").Label("team", "a"))
//		host.SetNode(st.MakeNode().Name("b").Label("team", "b"))
//		got := host.Fits(st.MakePod().Label("team", "a"))
//		if !slices.Equal(got, []string{"a"}) {
//			t.Error(got)
//		}
//	}
//
// Each extension point has a function: PreEnqueue, SortKey, Hint, Skip, Filter, Fits, Scores and PostFilter of Host, and
// Permit, PreBind, Bind, PostBind and Unreserve of the pod that Reserve returns.
package testing
