package main

import (
	"fmt"
	"os/exec"
	"time"
)

// starts is the number of starts of each program for measuring its CPU time.
const starts = 300

// cpu starts commands in turn, so that noise affects all equally, and returns the CPU time of each.
func cpu(commands ...[]string) ([]time.Duration, error) {
	spent := make([]time.Duration, len(commands))
	for range starts {
		for i, command := range commands {
			c := exec.Command(command[0], command[1:]...)
			if err := c.Run(); err != nil {
				return nil, fmt.Errorf("%s: %w", c, err)
			}
			spent[i] += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		}
	}
	return spent, nil
}
