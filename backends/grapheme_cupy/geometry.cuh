// Which cell a lane works on, and where the neighbours of that cell are.

// Sizes of a batch; geometry.py fills the fields in this order.
struct Shape {
  int batch, channels, height, width;
  int periodic;          // 1: grids wrap round, 0: there is nothing outside
  int samples_per_part;  // whole samples in one partial sum
  int blocks_per_part;   // blocks of 32 cells in them
  int blocks_per_run;    // blocks that one thread block takes after another
  int runs_per_part, runs;
};

struct Cell {
  int sample, index;  // the cell within its sample
  int row, column;
  bool inside;  // false past the last cell
};

// The cell `offset` cells after the first one of `sample`; samples from `end` on do not count.
__device__ inline Cell cell_after(const Shape& shape, int sample, int offset, int end) {
  const int cells = shape.height * shape.width;
  Cell cell;
  cell.sample = sample + offset / cells;
  cell.index = offset % cells;
  cell.row = cell.index / shape.width;
  cell.column = cell.index % shape.width;
  cell.inside = cell.sample < end;
  return cell;
}

// The index of neighbour p (0..8 row by row, 4 the cell itself) within the sample, or -1 if there is none.
__device__ inline int neighbour(const Shape& shape, const Cell& cell, int p) {
  int row = cell.row + p / 3 - 1, column = cell.column + p % 3 - 1;
  if (shape.periodic) {
    row += row < 0 ? shape.height : row >= shape.height ? -shape.height : 0;
    column += column < 0 ? shape.width : column >= shape.width ? -shape.width : 0;
  } else if (row < 0 || row >= shape.height || column < 0 || column >= shape.width) {
    return -1;
  }
  return row * shape.width + column;
}

// Where channel 0 of a sample begins in grids (batch, channel, cells).
__device__ inline size_t origin(const Shape& shape, int sample) {
  return (size_t)sample * shape.channels * shape.height * shape.width;
}

// Where a sample begins in masks (batch, cells).
__device__ inline size_t first_cell(const Shape& shape, int sample) {
  return (size_t)sample * shape.height * shape.width;
}
