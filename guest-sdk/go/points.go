package framework

// points are the extension points that a plugin implements. The others are nil.
type points struct {
	plugin     Plugin
	skip       SkipPlugin
	preEnqueue PreEnqueuePlugin
	queueSort  QueueSortPlugin
	hints      EnqueueExtensionsWithHints
	preFilter  PreFilterPlugin
	filter     FilterPlugin
	postFilter PostFilterPlugin
	preScore   PreScorePlugin
	score      ScorePlugin
	normalize  ScoreExtensions
	normalizer Normalizer
	reserve    ReservePlugin
	permit     PermitPlugin
	preBind    PreBindPlugin
	bind       BindPlugin
	postBind   PostBindPlugin
}

func pointsOf(plugin Plugin) points {
	to := points{plugin: plugin}
	to.skip, _ = plugin.(SkipPlugin)
	to.preEnqueue, _ = plugin.(PreEnqueuePlugin)
	to.queueSort, _ = plugin.(QueueSortPlugin)
	to.hints, _ = plugin.(EnqueueExtensionsWithHints)
	to.preFilter, _ = plugin.(PreFilterPlugin)
	to.filter, _ = plugin.(FilterPlugin)
	to.postFilter, _ = plugin.(PostFilterPlugin)
	to.preScore, _ = plugin.(PreScorePlugin)
	to.score, _ = plugin.(ScorePlugin)
	to.normalize, _ = plugin.(ScoreExtensions)
	to.normalizer, _ = plugin.(Normalizer)
	to.reserve, _ = plugin.(ReservePlugin)
	to.permit, _ = plugin.(PermitPlugin)
	to.preBind, _ = plugin.(PreBindPlugin)
	to.bind, _ = plugin.(BindPlugin)
	to.postBind, _ = plugin.(PostBindPlugin)
	return to
}

// exports returns the contract's interfaces that the plugin takes part in, apart from `plugin`. A plugin whose reads
// depend on its arguments exports `snapshot` whatever its registration reads.
func (p *points) exports(reads Reads) []string {
	_, extended := p.plugin.(ReadsExtensions)
	var names []string
	for _, export := range []struct {
		name  string
		wants bool
	}{
		{"snapshot", extended || reads.snapshot()},
		{"objects", len(reads.Objects) > 0},
		{"skip", p.skip != nil},
		{"pre-enqueue", p.preEnqueue != nil},
		{"queue-sort", p.queueSort != nil},
		{"queueing-hint", p.hints != nil},
		{"pre-filter", p.preFilter != nil},
		{"filter", p.filter != nil},
		{"post-filter", p.postFilter != nil},
		{"pre-score", p.preScore != nil},
		{"score", p.score != nil},
		{"normalize", p.normalize != nil},
		{"reserve", p.reserve != nil},
		{"permit", p.permit != nil},
		{"pre-bind", p.preBind != nil},
		{"bind", p.bind != nil},
		{"post-bind", p.postBind != nil},
	} {
		if export.wants {
			names = append(names, export.name)
		}
	}
	return names
}
