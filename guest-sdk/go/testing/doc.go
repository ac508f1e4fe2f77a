// Package testing runs a plugin natively, in an ordinary Go test. Its Host sends nodes and pods to the plugin as Berth
// does. One call asks the plugin about all nodes. Import this package as st, as tests of kube-scheduler do:
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
package testing
