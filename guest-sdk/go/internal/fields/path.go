// Package fields reads JSON objects by the paths of the contract: `spec.containers.image`.
package fields

import (
	"fmt"
	"slices"
	"strings"
)

// Path is a list of keys. A list takes no step: the path continues in each of its items.
type Path []string

// Parse parses a path. A key with dots is quoted: `metadata.annotations["example.com/pool"]`.
func Parse(text string) (Path, error) {
	invalid := fmt.Errorf("%q is not a field path: write spec.selector, spec.containers.image, "+
		`or a quoted key, metadata.annotations["example.com/pool"]`, text)
	var path Path
	for rest := text; ; {
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		key := rest[:end]
		if key == "" || strings.ContainsAny(key, `"]$*`) {
			return nil, invalid
		}
		path, rest = append(path, key), rest[end:]
		for strings.HasPrefix(rest, `["`) {
			quoted, after, closed := strings.Cut(rest[2:], `"]`)
			if !closed || quoted == "" {
				return nil, invalid
			}
			path, rest = append(path, quoted), after
		}
		if rest == "" {
			return path, nil
		}
		if rest[0] != '.' {
			return nil, invalid
		}
		rest = rest[1:]
	}
}

// ParseAll parses paths.
func ParseAll(texts []string) ([]Path, error) {
	var paths []Path
	for _, text := range texts {
		path, err := Parse(text)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Within returns true if the path is one of the declared paths, or below one of them.
func (p Path) Within(declared []Path) bool {
	return slices.ContainsFunc(declared, func(of Path) bool { return len(of) <= len(p) && slices.Equal(of, p[:len(of)]) })
}

// Prune returns a copy of a decoded JSON value that has the fields at these paths alone.
func Prune(value any, paths []Path) any {
	if slices.ContainsFunc(paths, func(path Path) bool { return len(path) == 0 }) {
		return value
	}
	switch value := value.(type) {
	case []any:
		items := make([]any, 0, len(value))
		for _, item := range value {
			items = append(items, Prune(item, paths))
		}
		return items
	case map[string]any:
		fields := map[string]any{}
		for key, inner := range value {
			if below := under(key, paths); below != nil {
				fields[key] = Prune(inner, below)
			}
		}
		return fields
	}
	return map[string]any{}
}

// under returns the rests of the paths that begin with the key.
func under(key string, paths []Path) (below []Path) {
	for _, path := range paths {
		if path[0] == key {
			below = append(below, path[1:])
		}
	}
	return below
}
