module shapes

go 1.27
