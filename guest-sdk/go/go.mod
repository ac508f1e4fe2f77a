module berth.dev/framework

go 1.26
