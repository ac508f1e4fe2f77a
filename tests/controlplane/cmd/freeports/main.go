// Command freeports prints free ports of 127.0.0.1, one per line. The argument is the number of ports. The system
// chooses the ports for listeners on port 0. All listeners are open at the same time, so that no port occurs twice.
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
