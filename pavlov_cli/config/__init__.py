"""Words to validated settings: override splitting, Hydra composition, data sheets. The only user of Hydra."""
