module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x7xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %32 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %32 : tensor<f32>
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<3x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
    %3 = "stablehlo.reduce_window"(%arg0, %2) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %32 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %32 : tensor<f32>
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<4x3xf32>
    %cst_1 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<f32>
    %5 = "stablehlo.reduce_window"(%arg0, %4) <{base_dilations = array<i64: 1, 1>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %32 = stablehlo.minimum %arg1, %arg2 : tensor<f32>
      stablehlo.return %32 : tensor<f32>
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<6x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<f32>
    %7 = "stablehlo.reduce_window"(%arg0, %6) <{base_dilations = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 2>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %32 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %32 : tensor<f32>
    }) : (tensor<6x7xf32>, tensor<f32>) -> tensor<12x3xf32>
    %8 = stablehlo.iota dim = 0 : tensor<12xf32>
    %9 = stablehlo.reshape %8 : (tensor<12xf32>) -> tensor<3x4xf32>
    %10 = stablehlo.cosine %9 : tensor<3x4xf32>
    %11 = stablehlo.multiply %1, %10 : tensor<3x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.add %cst_4, %12 : tensor<f32>
    %14 = stablehlo.iota dim = 0 : tensor<12xf32>
    %15 = stablehlo.reshape %14 : (tensor<12xf32>) -> tensor<4x3xf32>
    %16 = stablehlo.cosine %15 : tensor<4x3xf32>
    %17 = stablehlo.multiply %3, %16 : tensor<4x3xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
    %19 = stablehlo.add %13, %18 : tensor<f32>
    %20 = stablehlo.iota dim = 0 : tensor<48xf32>
    %21 = stablehlo.reshape %20 : (tensor<48xf32>) -> tensor<6x8xf32>
    %22 = stablehlo.cosine %21 : tensor<6x8xf32>
    %23 = stablehlo.multiply %5, %22 : tensor<6x8xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%23 init: %cst_6) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<f32>
    %25 = stablehlo.add %19, %24 : tensor<f32>
    %26 = stablehlo.iota dim = 0 : tensor<36xf32>
    %27 = stablehlo.reshape %26 : (tensor<36xf32>) -> tensor<12x3xf32>
    %28 = stablehlo.cosine %27 : tensor<12x3xf32>
    %29 = stablehlo.multiply %7, %28 : tensor<12x3xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x3xf32>, tensor<f32>) -> tensor<f32>
    %31 = stablehlo.add %25, %30 : tensor<f32>
    return %31 : tensor<f32>
  }
}
