package main

import (
	"fmt"
	"os/exec"
	"time"
)

// starts is how often each program is started to measure its CPU time.
const starts = 300

// cpu starts commands in turn, so that all meet the same noise, and returns the CPU time of each.
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
