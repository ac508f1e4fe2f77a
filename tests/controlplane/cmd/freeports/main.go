// Command freeports prints as many free ports of 127.0.0.1 as it is asked for, one a line: those that the system chose
// for listeners on port 0, all open at once so that no two are alike.
package main

import (
	"fmt"
	"net"
	"os"
	"strconv"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "freeports: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: freeports COUNT")
	}
	count, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer listener.Close()
		fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	}
	return nil
}
