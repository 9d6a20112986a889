module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<7xi32>, %arg2: tensor<4x7xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}) {
    %c = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<1xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_2 = stablehlo.constant dense<6> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<7xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<7xi1>, tensor<7xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %6 = "stablehlo.scatter"(%arg0, %5, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %134 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %134 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<7x1xi32>, tensor<4x7xf32>) -> tensor<4x6xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %8 = stablehlo.compare LT, %arg1, %7, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_4 = stablehlo.constant dense<6> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %10 = stablehlo.add %arg1, %9 : tensor<7xi32>
    %11 = stablehlo.select %8, %10, %arg1 : tensor<7xi1>, tensor<7xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %c_5 = stablehlo.constant dense<5> : tensor<1xi32>
    %c_6 = stablehlo.constant dense<2147483647> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %14 = stablehlo.minimum %c_5, %13 : tensor<1xi32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [1] : (tensor<1xi32>) -> tensor<7x1xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<7x1xi32>
    %17 = stablehlo.clamp %16, %12, %15 : tensor<7x1xi32>
    %18 = "stablehlo.scatter"(%arg0, %17, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %134 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %134 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<7x1xi32>, tensor<4x7xf32>) -> tensor<4x6xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %20 = stablehlo.compare LT, %arg1, %19, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_9 = stablehlo.constant dense<6> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %22 = stablehlo.add %arg1, %21 : tensor<7xi32>
    %23 = stablehlo.select %20, %22, %arg1 : tensor<7xi1>, tensor<7xi32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %25 = "stablehlo.scatter"(%arg0, %24, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %134 = stablehlo.minimum %arg3, %arg4 : tensor<f32>
      stablehlo.return %134 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<7x1xi32>, tensor<4x7xf32>) -> tensor<4x6xf32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %26 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %27 = stablehlo.compare LT, %arg1, %26, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_11 = stablehlo.constant dense<6> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %29 = stablehlo.add %arg1, %28 : tensor<7xi32>
    %30 = stablehlo.select %27, %29, %arg1 : tensor<7xi1>, tensor<7xi32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %32 = "stablehlo.scatter"(%arg0, %31, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %134 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %134 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<7x1xi32>, tensor<4x7xf32>) -> tensor<4x6xf32>
    %33 = stablehlo.slice %arg2 [0:4, 0:2] : (tensor<4x7xf32>) -> tensor<4x2xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %34 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %35 = stablehlo.compare LT, %c, %34, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_13 = stablehlo.constant dense<6> : tensor<i32>
    %36 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %37 = stablehlo.add %c, %36 : tensor<2xi32>
    %38 = stablehlo.select %35, %37, %c : tensor<2xi1>, tensor<2xi32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %40 = "stablehlo.scatter"(%arg0, %39, %33) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<2x1xi32>, tensor<4x2xf32>) -> tensor<4x6xf32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %41 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %42 = stablehlo.compare LT, %arg1, %41, SIGNED : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi1>
    %c_15 = stablehlo.constant dense<6> : tensor<i32>
    %43 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %44 = stablehlo.add %arg1, %43 : tensor<7xi32>
    %45 = stablehlo.select %42, %44, %arg1 : tensor<7xi1>, tensor<7xi32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %46 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<7xi32>
    %47 = stablehlo.convert %46 : tensor<7xi32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %49 = stablehlo.broadcast_in_dim %45, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %50 = stablehlo.concatenate %48, %49, dim = 1 : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x2xi32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %52 = "stablehlo.scatter"(%arg0, %50, %51) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %134 = stablehlo.multiply %arg3, %arg4 : tensor<f32>
      stablehlo.return %134 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<7x2xi32>, tensor<7xf32>) -> tensor<4x6xf32>
    %53 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<4x7xf32>) -> tensor<7x4xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<5x4xf32>
    %55 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<7xi32>) -> tensor<7x1xi32>
    %56 = "stablehlo.scatter"(%54, %55, %53) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %134 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %134 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<7x1xi32>, tensor<7x4xf32>) -> tensor<5x4xf32>
    %57 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<4x7xf32>) -> tensor<7x4xf32>
    %58 = stablehlo.slice %57 [1:4, 0:4] : (tensor<7x4xf32>) -> tensor<3x4xf32>
    %59 = stablehlo.slice %arg1 [1:4] : (tensor<7xi32>) -> tensor<3xi32>
    %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<5x4xf32>
    %61 = stablehlo.broadcast_in_dim %59, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %62 = "stablehlo.scatter"(%60, %61, %58) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %134 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %134 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<5x4xf32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %63 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %64 = stablehlo.compare LT, %c_0, %63, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %c_20 = stablehlo.constant dense<5> : tensor<i32>
    %65 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %66 = stablehlo.add %c_0, %65 : tensor<1xi32>
    %67 = stablehlo.select %64, %66, %c_0 : tensor<1xi1>, tensor<1xi32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0] : (tensor<1xi32>) -> tensor<1x1xi32>
    %69 = "stablehlo.gather"(%62, %68) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xf32>, tensor<1x1xi32>) -> tensor<1x4xf32>
    %70 = stablehlo.slice %arg1 [0:4] : (tensor<7xi32>) -> tensor<4xi32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %72 = stablehlo.slice %arg2 [0:4, 0:1] : (tensor<4x7xf32>) -> tensor<4x1xf32>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %73 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %74 = stablehlo.compare LT, %71, %73, SIGNED : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %c_22 = stablehlo.constant dense<6> : tensor<i32>
    %75 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %76 = stablehlo.add %71, %75 : tensor<4x1xi32>
    %77 = stablehlo.select %74, %76, %71 : tensor<4x1xi1>, tensor<4x1xi32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x1x1xi32>
    %79 = "stablehlo.scatter"(%arg0, %78, %72) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %134 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %134 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x6xf32>
    %80 = stablehlo.iota dim = 0 : tensor<24xf32>
    %81 = stablehlo.reshape %80 : (tensor<24xf32>) -> tensor<4x6xf32>
    %82 = stablehlo.cosine %81 : tensor<4x6xf32>
    %83 = stablehlo.multiply %6, %82 : tensor<4x6xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_23) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.add %cst_24, %84 : tensor<f32>
    %86 = stablehlo.iota dim = 0 : tensor<24xf32>
    %87 = stablehlo.reshape %86 : (tensor<24xf32>) -> tensor<4x6xf32>
    %88 = stablehlo.cosine %87 : tensor<4x6xf32>
    %89 = stablehlo.multiply %18, %88 : tensor<4x6xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.reduce(%89 init: %cst_25) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %91 = stablehlo.add %85, %90 : tensor<f32>
    %92 = stablehlo.iota dim = 0 : tensor<24xf32>
    %93 = stablehlo.reshape %92 : (tensor<24xf32>) -> tensor<4x6xf32>
    %94 = stablehlo.cosine %93 : tensor<4x6xf32>
    %95 = stablehlo.multiply %25, %94 : tensor<4x6xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_26) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %97 = stablehlo.add %91, %96 : tensor<f32>
    %98 = stablehlo.iota dim = 0 : tensor<24xf32>
    %99 = stablehlo.reshape %98 : (tensor<24xf32>) -> tensor<4x6xf32>
    %100 = stablehlo.cosine %99 : tensor<4x6xf32>
    %101 = stablehlo.multiply %32, %100 : tensor<4x6xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.reduce(%101 init: %cst_27) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %103 = stablehlo.add %97, %102 : tensor<f32>
    %104 = stablehlo.iota dim = 0 : tensor<24xf32>
    %105 = stablehlo.reshape %104 : (tensor<24xf32>) -> tensor<4x6xf32>
    %106 = stablehlo.cosine %105 : tensor<4x6xf32>
    %107 = stablehlo.multiply %40, %106 : tensor<4x6xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %108 = stablehlo.reduce(%107 init: %cst_28) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %109 = stablehlo.add %103, %108 : tensor<f32>
    %110 = stablehlo.iota dim = 0 : tensor<24xf32>
    %111 = stablehlo.reshape %110 : (tensor<24xf32>) -> tensor<4x6xf32>
    %112 = stablehlo.cosine %111 : tensor<4x6xf32>
    %113 = stablehlo.multiply %52, %112 : tensor<4x6xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %114 = stablehlo.reduce(%113 init: %cst_29) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %115 = stablehlo.add %109, %114 : tensor<f32>
    %116 = stablehlo.iota dim = 0 : tensor<20xf32>
    %117 = stablehlo.reshape %116 : (tensor<20xf32>) -> tensor<5x4xf32>
    %118 = stablehlo.cosine %117 : tensor<5x4xf32>
    %119 = stablehlo.multiply %56, %118 : tensor<5x4xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %120 = stablehlo.reduce(%119 init: %cst_30) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<f32>
    %121 = stablehlo.add %115, %120 : tensor<f32>
    %122 = stablehlo.iota dim = 0 : tensor<4xf32>
    %123 = stablehlo.reshape %122 : (tensor<4xf32>) -> tensor<1x4xf32>
    %124 = stablehlo.cosine %123 : tensor<1x4xf32>
    %125 = stablehlo.multiply %69, %124 : tensor<1x4xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %126 = stablehlo.reduce(%125 init: %cst_31) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x4xf32>, tensor<f32>) -> tensor<f32>
    %127 = stablehlo.add %121, %126 : tensor<f32>
    %128 = stablehlo.iota dim = 0 : tensor<24xf32>
    %129 = stablehlo.reshape %128 : (tensor<24xf32>) -> tensor<4x6xf32>
    %130 = stablehlo.cosine %129 : tensor<4x6xf32>
    %131 = stablehlo.multiply %79, %130 : tensor<4x6xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %132 = stablehlo.reduce(%131 init: %cst_32) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %133 = stablehlo.add %127, %132 : tensor<f32>
    return %133 : tensor<f32>
  }
}
