module example.com/program

go 1.26

require example.com/other v0.0.0

replace example.com/other => ./other
