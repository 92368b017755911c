"""Models from other programs: each format has a reader, which returns a `Model` and a list of what it could not take.

imported.py  what a reader returns
registry.py  the readers by the endings of their files; a new format is one file and one line here
xml.py       XML files with the line of each element, and errors that name it
frames.py    axes in other axes, masses put together, names
surfaces.py  closed surfaces of triangles: read, checked, weighed
looks.py     polygons that show the shapes of a file
mjcf         MuJoCo's files
febio        FEBio's files
urdf.py      robots of ROS
meshes.py    surfaces as rigid bodies, meshes of cells as solids
command.py   `condyle import`
opensim.py   OpenSim's .osim files; opensim_file.py reads properties and frames, opensim_functions.py functions,
             opensim_joints.py what the skeleton is, opensim_build.py makes bodies and joints of it,
             opensim_paths.py, opensim_muscles.py, opensim_tables.py, opensim_forces.py and opensim_contact.py what acts on it
"""
