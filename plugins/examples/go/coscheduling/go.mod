module example.com/coscheduling

go 1.26

require berth.dev/framework v0.0.0

// In this repository; outside, a copy of the folder.
replace berth.dev/framework => ../../../../guest-sdk/go
