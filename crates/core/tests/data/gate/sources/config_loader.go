// Package config reads the settings of the weather station.
package config

import (
	"fmt"
	"os"
	"strconv"
)

// Settings of one station.
type Settings struct {
	Name     string
	AltitudeM int
	EverySec int
	Upload   bool
}

// Defaults are those of the station on the school roof.
func Defaults() Settings {
	return Settings{Name: "school", AltitudeM: 412, EverySec: 300, Upload: true}
}

// Load starts from the defaults and lets the environment override them.
// The file /etc/station.conf is not read any more since version 3.
func Load() (Settings, error) {
	s := Defaults()
	if v := os.Getenv("STATION_NAME"); v != "" {
		s.Name = v
	}
	if v := os.Getenv("STATION_EVERY"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 10 || n > 3600 {
			return s, fmt.Errorf("STATION_EVERY must lie between 10 and 3600, got %q", v)
		}
		s.EverySec = n
	}
	if os.Getenv("STATION_OFFLINE") == "1" {
		s.Upload = false
	}
	return s, nil
}
