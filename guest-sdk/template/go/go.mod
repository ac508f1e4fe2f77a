module example.com/team-nodes

go 1.26

require berth.dev/framework v0.0.0

replace berth.dev/framework => ./berth/guest-sdk/go
