"""An ONNX file as a model of MLServer: what model-settings.json names as its implementation."""

import onnxruntime
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse


class OnnxModel(MLModel):
    async def load(self) -> bool:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(self.settings.parameters.uri, options)
        return True

    async def predict(self, payload):
        feeds = {tensor.name: NumpyCodec.decode_input(tensor) for tensor in payload.inputs}
        names = [output.name for output in self.session.get_outputs()]
        values = self.session.run(names, feeds)
        outputs = [NumpyCodec.encode_output(name, value) for name, value in zip(names, values)]
        return InferenceResponse(model_name=self.name, outputs=outputs)
