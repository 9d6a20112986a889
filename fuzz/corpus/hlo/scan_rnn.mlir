module @jit_rnn_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x5xf32>, %arg1: tensor<3x5xf32>, %arg2: tensor<7x2x3xf32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:6 = stablehlo.while(%iterArg = %arg2, %iterArg_4 = %arg0, %iterArg_5 = %arg1, %iterArg_6 = %c, %iterArg_7 = %0, %iterArg_8 = %1) : tensor<7x2x3xf32>, tensor<5x5xf32>, tensor<3x5xf32>, tensor<i32>, tensor<2x5xf32>, tensor<7xf32>
    cond {
      %c_9 = stablehlo.constant dense<7> : tensor<i32>
      %8 = stablehlo.compare LT, %iterArg_6, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %8 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_6) : (tensor<7x2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
      %9 = stablehlo.dot_general %iterArg_7, %iterArg_4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5xf32>, tensor<5x5xf32>) -> tensor<2x5xf32>
      %10 = stablehlo.dot_general %8, %iterArg_5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
      %11 = stablehlo.add %9, %10 : tensor<2x5xf32>
      %12 = stablehlo.tanh %11 : tensor<2x5xf32>
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %13 = stablehlo.reduce(%12 init: %cst_9) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<f32>
      %14 = func.call @dynamic_update_index_in_dim(%iterArg_8, %13, %iterArg_6) : (tensor<7xf32>, tensor<f32>, tensor<i32>) -> tensor<7xf32>
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %15 = stablehlo.add %iterArg_6, %c_10 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_4, %iterArg_5, %15, %12, %14 : tensor<7x2x3xf32>, tensor<5x5xf32>, tensor<3x5xf32>, tensor<i32>, tensor<2x5xf32>, tensor<7xf32>
    }
    %3 = stablehlo.multiply %2#4, %2#4 : tensor<2x5xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%2#5 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<7.000000e+00> : tensor<f32>
    %6 = stablehlo.divide %5, %cst_3 : tensor<f32>
    %7 = stablehlo.add %4, %6 : tensor<f32>
    return %7 : tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<7x2x3xf32>, %arg1: tensor<i32>) -> tensor<2x3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 3] : (tensor<7x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<7xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<7xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<7xf32>, tensor<1xf32>, tensor<i32>) -> tensor<7xf32>
    return %1 : tensor<7xf32>
  }
}
