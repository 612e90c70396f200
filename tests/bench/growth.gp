# growth.gp   one sweep's plot: gnuplot -e "data='FILE'; sweep='NAME'; plot_to='FILE.svg'" growth.gp
set terminal svg size 720,440 background rgb 'white' font 'sans,13'
set output plot_to
set key top left
set grid
set autoscale xfix
set ylabel 'µs a message'
set xlabel sweep eq 'messages' ? 'messages, 100 bytes each' : sweep eq 'fields' ? 'fields selected, of a message of 4 KB' : \
  sweep eq 'bytes' ? 'bytes a message' : sweep.', messages of 1 KB'
if (sweep eq 'bytes') { set logscale y } else { set yrange [0:*] }
if (sweep ne 'lanes') { set logscale x } else { set xtics 1 }
if (sweep eq 'partitions') { set logscale x 2 }
plot data using 1:2 with linespoints lw 2 pt 7 title 'rille', \
  data using 1:3 with linespoints dt 2 pt 6 title 'rille, CPU of all threads', \
  data using 1:4 with linespoints lw 2 pt 5 title 'bare consume'
