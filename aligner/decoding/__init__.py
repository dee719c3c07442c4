"""From a trained model to links: decoders, batches, streams, sentence scores, out-of-vocabulary words."""
