// ResNet's convolutions for WebAssembly SIMD: direct, on zero-padded maps of pixels with their channels together, so
// that a kernel's row over adjacent pixels is one run of memory and nothing has to be copied.
//
// Build (any clang with lld, or zig's, `pip install ziglang`), in this folder:
//   python -m ziglang cc --target=wasm32-freestanding -O3 -msimd128 -ffreestanding -nostdlib -Wl,--no-entry
//     -Wl,--export=pack -Wl,--export=conv -Wl,--export=pool -Wl,--export=mean -Wl,--import-memory -Wl,--strip-all
//     -o conv.wasm conv.c

typedef float v4 __attribute__((vector_size(16), aligned(4)));
typedef int i4 __attribute__((vector_size(16)));
typedef unsigned short u16;
typedef unsigned int u32;
#define TILE 6  // pixels at a time, with 8 output channels: 12 sums in registers

static float from_half(u16 h) {
  u32 sign = (u32)(h & 0x8000) << 16, exponent = (h >> 10) & 31, fraction = h & 1023;
  union { u32 u; float f; } r;
  if (exponent) { r.u = sign | ((exponent + 112) << 23) | (fraction << 13); return r.f; }
  r.f = (float)fraction * 0x1p-24f;
  r.u |= sign;
  return r.f;
}

// Weights [O][I][H][W] in float16 to panels of 8 output channels, [O/8][H][W][I][8], in float32.
void pack(const u16 *w, float *to, int O, int I, int H, int W) {
  for (int o = 0; o < O; o += 8)
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++)
        for (int i = 0; i < I; i++)
          for (int k = 0; k < 8; k++) *to++ = from_half(w[(((o + k) * I + i) * H + y) * W + x]);
}

// out = relu(conv(in) + bias + rest). `in`, `out` and `rest` point at the first pixel that is read or written; *Row
// floats lie between rows, *Map floats between the pictures of a batch; `rows` x `run` is the kernel's extent in memory.
void conv(const float *in, int inRow, int inMap, int depth, int stride, int rows, int run, const float *w,
          const float *bias, float *out, int outRow, int outMap, int channels, int side, int batch, const float *rest,
          int relu) {
  int area = side * side, pixels = area * batch;
  for (int o = 0; o < channels; o += 8, w += rows * run * 8) {
    v4 b0 = *(v4 *)(bias + o), b1 = *(v4 *)(bias + o + 4);
    for (int p = 0; p < pixels; p += TILE) {
      const float *at[TILE];
      int to[TILE];
      for (int t = 0; t < TILE; t++) {
        int q = p + t < pixels ? p + t : pixels - 1;  // the last tile repeats its last pixel
        int n = q / area, y = (q - n * area) / side, x = q - n * area - y * side;
        at[t] = in + n * inMap + (y * inRow + x * depth) * stride;
        to[t] = n * outMap + y * outRow + x * channels + o;
      }
      v4 s00 = b0, s01 = b1, s10 = b0, s11 = b1, s20 = b0, s21 = b1, s30 = b0, s31 = b1, s40 = b0, s41 = b1, s50 = b0,
         s51 = b1;
      const float *v = w;
      for (int r = 0; r < rows; r++) {
        const float *a0 = at[0], *a1 = at[1], *a2 = at[2], *a3 = at[3], *a4 = at[4], *a5 = at[5];
        for (int k = 0; k < run; k++, v += 8) {
          v4 w0 = *(v4 *)v, w1 = *(v4 *)(v + 4);
#define STEP(i) { v4 x = {a##i[k], a##i[k], a##i[k], a##i[k]}; s##i##0 += x * w0; s##i##1 += x * w1; }
          STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5)
        }
        for (int t = 0; t < TILE; t++) at[t] += inRow;
      }
      v4 s[TILE][2] = {{s00, s01}, {s10, s11}, {s20, s21}, {s30, s31}, {s40, s41}, {s50, s51}};
      for (int t = 0; t < TILE; t++)
        for (int i = 0; i < 2; i++) {
          v4 x = s[t][i];
          if (rest) x += *(v4 *)(rest + to[t] + 4 * i);
          if (relu) x = (v4)((i4)x & (x > 0));
          *(v4 *)(out + to[t] + 4 * i) = x;
        }
    }
  }
}

// The largest of 3 x 3, every second pixel; what is pooled is not negative, so the padding's zeros do no harm.
void pool(const float *in, int inRow, int inMap, float *out, int outRow, int outMap, int channels, int side, int batch) {
  for (int n = 0; n < batch; n++)
    for (int y = 0; y < side; y++)
      for (int x = 0; x < side; x++)
        for (int c = 0; c < channels; c += 4) {
          v4 best = {0, 0, 0, 0};
          for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++) {
              v4 v = *(v4 *)(in + n * inMap + (2 * y + dy) * inRow + (2 * x + dx) * channels + c);
              i4 more = v > best;
              best = (v4)(((i4)v & more) | ((i4)best & ~more));
            }
          *(v4 *)(out + n * outMap + y * outRow + x * channels + c) = best;
        }
}

// The mean of every channel over all pixels of all pictures of the batch.
void mean(const float *in, int inRow, int inMap, float *out, int channels, int side, int batch) {
  for (int c = 0; c < channels; c++) {
    float sum = 0;
    for (int n = 0; n < batch; n++)
      for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) sum += in[n * inMap + y * inRow + x * channels + c];
    out[c] = sum / (float)(side * side * batch);
  }
}
