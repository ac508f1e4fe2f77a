package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// scheduler is the measured process, which the load generator started or which was already running.
type scheduler struct {
	pid   int
	ended chan struct{} // closed when the process has ended; nil if the load generator did not start it
	cmd   *exec.Cmd     // nil if the load generator did not start the process
	log   string
}

// startScheduler runs the command line in a shell that execs it, so that the pid is the scheduler's own.
func startScheduler(o *options) (*scheduler, error) {
	if o.schedulerCmd == "" {
		return &scheduler{pid: o.schedulerPid}, nil
	}
	log, err := os.OpenFile(o.schedulerLog, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command("sh", "-c", "exec "+o.schedulerCmd)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the scheduler: %w", err)
	}
	s := &scheduler{pid: cmd.Process.Pid, ended: make(chan struct{}), cmd: cmd, log: o.schedulerLog}
	go func() {
		_ = cmd.Wait() // the result is read from ProcessState
		close(s.ended)
	}()
	return s, nil
}

// waitReady waits up to a minute until the scheduler's readiness URL answers 200. An empty URL counts as ready.
func (s *scheduler) waitReady(ctx context.Context, url string) error {
	if url == "" {
		return nil
	}
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		select {
		case <-s.ended:
			return false, s.endedEarly()
		default:
		}
		_, err := get(url)
		return err == nil, nil
	})
	if wait.Interrupted(err) {
		return fmt.Errorf("the scheduler is not ready after a minute; see its log %s", s.log)
	}
	return err
}

func (s *scheduler) endedEarly() error {
	return fmt.Errorf("the scheduler ended before the run (%v); see its log %s", s.cmd.ProcessState, s.log)
}

// stop ends a scheduler that the load generator started, and returns the CPU time that it has used since its start.
func (s *scheduler) stop() (user, system time.Duration, err error) {
	if s.cmd == nil {
		return 0, 0, nil
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return 0, 0, err
	}
	select {
	case <-s.ended:
	case <-time.After(10 * time.Second):
		if err := s.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return 0, 0, err
		}
		<-s.ended
	}
	return s.cmd.ProcessState.UserTime(), s.cmd.ProcessState.SystemTime(), nil
}
