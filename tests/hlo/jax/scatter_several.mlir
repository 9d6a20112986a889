module @several {
  func.func public @main(%x: tensor<2x4x3xf32>, %n: tensor<2x4x3xi32>, %i: tensor<5x2x1xi32>, %u: tensor<2x5x2xf32>, %k: tensor<2x5x2xi32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xi32>) {
    %0:2 = "stablehlo.scatter"(%x, %n, %i, %u, %k) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
      %1 = stablehlo.compare GT, %c, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = stablehlo.select %1, %c, %a : tensor<i1>, tensor<f32>
      %3 = stablehlo.select %1, %d, %b : tensor<i1>, tensor<i32>
      stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
    }) : (tensor<2x4x3xf32>, tensor<2x4x3xi32>, tensor<5x2x1xi32>, tensor<2x5x2xf32>, tensor<2x5x2xi32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xi32>)
    return %0#0, %0#1 : tensor<2x4x3xf32>, tensor<2x4x3xi32>
  }
}
