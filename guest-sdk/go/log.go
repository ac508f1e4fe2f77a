package framework

import (
	"context"
	"log/slog"
	"strings"

	"berth.dev/framework/contract"
	"berth.dev/framework/internal/abi"
)

// hostLog is a slog handler that writes to the host's log. The log package uses slog's handler too. The host adds the
// plugin's name and the time.
type hostLog struct {
	prefix string
	attrs  string
}

func init() { slog.SetDefault(slog.New(hostLog{})) }

// Enabled always returns true: the host decides which levels to show.
func (hostLog) Enabled(context.Context, slog.Level) bool { return true }

func (h hostLog) Handle(_ context.Context, record slog.Record) error {
	var line strings.Builder
	line.WriteString(record.Message)
	line.WriteString(h.attrs)
	record.Attrs(func(attr slog.Attr) bool {
		writeAttr(&line, h.prefix, attr)
		return true
	})
	abi.Log(level(record.Level), line.String())
	return nil
}

func (h hostLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	var line strings.Builder
	for _, attr := range attrs {
		writeAttr(&line, h.prefix, attr)
	}
	h.attrs += line.String()
	return h
}

func (h hostLog) WithGroup(name string) slog.Handler {
	h.prefix += name + "."
	return h
}

func writeAttr(line *strings.Builder, prefix string, attr slog.Attr) {
	value := attr.Value.Resolve()
	if value.Kind() == slog.KindGroup {
		if attr.Key != "" {
			prefix += attr.Key + "."
		}
		for _, inner := range value.Group() {
			writeAttr(line, prefix, inner)
		}
		return
	}
	line.WriteString(" " + prefix + attr.Key + "=" + value.String())
}

func level(level slog.Level) contract.Level {
	switch {
	case level >= slog.LevelError:
		return contract.LevelError
	case level >= slog.LevelWarn:
		return contract.LevelWarn
	case level >= slog.LevelInfo:
		return contract.LevelInfo
	default:
		return contract.LevelDebug
	}
}
