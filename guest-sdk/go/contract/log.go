// Code generated from wit/ by guest-sdk/go/generate. DO NOT EDIT.

package contract

type Level uint8

const (
	LevelError Level = iota
	LevelWarn
	LevelInfo
	LevelDebug
)
