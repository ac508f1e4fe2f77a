package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// clockTicks is USER_HZ, the unit in which /proc counts CPU time; 100 on every Linux.
const clockTicks = 100

func ticks(n float64) time.Duration {
	return time.Duration(n * float64(time.Second) / clockTicks)
}

// cpuTime returns the user and system time of a process so far, for all its threads together.
func cpuTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The second field, the command's name in parentheses, may contain spaces and parentheses. So fields are counted
	// from the last closing parenthesis.
	_, rest, _ := cutLast(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has only %d fields", pid, len(fields))
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return ticks(user + system), nil
}

// memoryMB reads a line of /proc/PID/status: VmRSS is the current memory of a process, VmHWM its maximum. The
// result is 0 if the process has ended.
func memoryMB(pid int, key string) float64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, key+":"); found {
			kilobytes, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kilobytes / 1024
		}
	}
	return 0
}

// machineTime returns the CPU time of all cores since the start of the machine: the busy part, and the total.
func machineTime() (busy, total time.Duration, err error) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, err
	}
	line, _, _ := strings.Cut(string(stat), "\n")
	// cpu user nice system idle iowait irq softirq steal; the guest times after these are already part of user.
	for i, field := range strings.Fields(line)[1:9] {
		n, _ := strconv.ParseFloat(field, 64)
		total += ticks(n)
		if i != 3 && i != 4 {
			busy += ticks(n)
		}
	}
	return busy, total, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
