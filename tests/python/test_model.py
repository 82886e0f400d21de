"""Models: loaded, built in Python in the words of the files, checked with places."""

import inspect
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import kardan


def pendulum() -> kardan.Model:
    model = kardan.Model("pendulum", dimension=2, gravity=[0, "-g"])
    model.parameters(g=13.75, length=1)
    model.body("bob", kind="point", mass=1, position=["length", 0])
    model.distance("rod", between=["ground", "bob"], length="length")
    return model


def program(*arguments) -> dict:
    kardan_program = Path(os.environ["KARDAN_BUILD_DIR"]) / "kardan"
    done = subprocess.run([kardan_program, *map(str, arguments), "--json"], capture_output=True,
                          text=True, check=True)
    return json.loads(done.stdout)


def test_a_built_model_moves_as_the_file_does(models):
    ours = pendulum().run(t_end=1, method="rn4", tolerance=1e-7, every=0.1)
    file = kardan.load(models / "pendulum.yaml").run(t_end=1, every=0.1)
    assert np.array_equal(ours["bob.x"], file["bob.x"])
    # A. Steinbrecher, GEOMS (2007): half a period.
    assert ours.final["bob.x"] == pytest.approx(-1, abs=1e-6)


@pytest.mark.parametrize("name", ["slider_crank_haug", "rolling_disc", "andrews_minimal"])
def test_results_are_those_of_the_command_line_bit_for_bit(models, name):
    path = models / f"{name}.yaml"
    shown = program("run", path, "--t-end", 0.02)
    result = kardan.load(path).run(t_end=0.02)
    assert result.final == shown["final"]
    assert result.steps == shown["steps"] and result.evaluations == shown["evaluations"]
    assert set(result.certificate) == set(shown)


@pytest.mark.parametrize("verb", ["check", "assemble", "linearize"])
def test_reports_are_those_of_the_command_line(models, verb):
    path = models / "slider_crank_haug.yaml"
    frozen = verb == "linearize"  # the mechanism starts out of balance
    shown = program(verb, path, *(["--frozen"] if frozen else []))
    report = getattr(kardan.load(path), verb)(**({"frozen": True} if frozen else {}))
    assert set(shown) <= set(report)
    for key in ("rank", "degrees_of_freedom", "redundant", "start", "variables"):
        if key in shown:
            assert report[key] == shown[key]
    if verb == "linearize":
        assert np.array_equal(report.matrix, np.array(shown["matrix"]))
        assert np.allclose(np.sort(np.linalg.eigvals(report.matrix)), np.sort(report.eigenvalues))


def test_every_element_type_is_a_method_with_its_fields():
    for name, element in kardan.elements().items():
        method = getattr(kardan.Model, name, None) or getattr(kardan.Model, f"{name}_element")
        parameters = inspect.signature(method).parameters
        for field in element.fields:
            assert field["key"] in parameters or field["key"] + "_" in parameters
            assert field["key"] in method.__doc__
            if field["unit"]:
                assert f"[{field['unit']}]" in method.__doc__
        assert element.summary in method.__doc__


def test_all_faults_are_told_at_once_with_the_lines_of_the_program():
    model = pendulum()
    first = inspect.currentframe().f_lineno + 1
    model.body("arm", mas=1)
    model.revolute("hinge", between=["ground", "amr"])
    model.spring_damper("spring", between=["ground", "bob"], stiffness="2*kk")
    with pytest.raises(kardan.ModelError) as caught:
        model.check()
    faults = caught.value.diagnostics
    assert [(d.code, d.line) for d in faults] == [
        ("key.unknown", first), ("body.unknown", first + 1), ("expression.unknown_name", first + 2)]
    assert all(d.file == __file__ for d in faults)
    assert "did you mean 'arm'?" in str(caught.value)


def test_faults_of_files_stand_where_they_are(tmp_path):
    path = tmp_path / "faulty.yaml"
    path.write_text("kardan: 1\nbodies:\n  a: {mas: 1}\n  b: {mass: x}\n")
    with pytest.raises(kardan.ModelError) as caught:
        kardan.load(path)
    assert [(d.line, d.file) for d in caught.value.diagnostics] == [(3, str(path)), (4, str(path))]


def test_a_name_used_twice_is_refused_where_it_is_written():
    model = pendulum()
    with pytest.raises(kardan.ModelError, match="name.duplicate.*first at"):
        model.body("bob", mass=1)


def test_options_that_do_not_exist_are_refused():
    for options, code in [({"method": "rn5"}, "method.unknown"), ({"stap": 1}, "option.unknown"),
                          ({"tolerance": 2}, "tolerance.range"),
                          ({"t_end": -1}, "field.range"), ({"set": {"m": 1}}, "parameter.unknown")]:
        with pytest.raises(kardan.ModelError) as caught:
            pendulum().run(**options)
        assert caught.value.diagnostics[0].code == code


def test_a_model_survives_its_file(tmp_path):
    model = pendulum()
    model.save(tmp_path / "a.yaml")
    model.save(tmp_path / "a.json")
    expected = model.run(t_end=0.5).final
    assert kardan.load(tmp_path / "a.yaml").run(t_end=0.5).final == expected
    assert kardan.load(tmp_path / "a.json").run(t_end=0.5).final == expected
    assert kardan.read(model.to_yaml()).run(t_end=0.5).final == expected


def test_copies_are_apart_and_parameters_can_be_set(models):
    model = kardan.load(models / "pendulum.yaml")
    changed = model.copy()
    changed.parameters(L=2)
    assert model["parameters"]["L"] == 1 and changed["parameters"]["L"] == 2
    assert changed.run(t_end=0.3).final == model.run(t_end=0.3, set={"L": 2}).final
    assert changed.run(t_end=0.3).final != model.run(t_end=0.3).final


def test_a_start_that_does_not_exist_is_an_assembly_error():
    model = pendulum()
    model.distance("second", between=["ground", "bob"], length=2)
    assert not model.check().consistent
    for verb in (model.assemble, model.run, model.linearize):
        with pytest.raises(kardan.AssemblyError):
            verb()


def test_equilibrium_finds_the_bottom():
    model = pendulum()
    model.remove("bodies", "bob")
    model.body("bob", kind="point", mass=1, position=[0.3, -1])
    assert model.equilibrium().start["bob.y"] == pytest.approx(-1, abs=1e-9)


def test_help_helps():
    text = kardan.Model.body.__doc__
    assert "mass" in text and "[kg]" in text
    assert "[N/m]" in kardan.Model.spring_damper.__doc__
    assert kardan.methods()["rn4"].order == 4
    assert "state_space" in kardan.formulations()


def test_equations_as_texts():
    model = kardan.Model("oscillator")
    model.parameters(k=4)
    model.equations(positions={"x": 1}, velocities={"v": 0}, forces={"v": "-k*x"},
                    energy={"kinetic": "v^2/2", "potential": "k*x^2/2"})
    result = model.run(t_end=1, tolerance=1e-9)
    assert np.allclose(result["x"], np.cos(2 * result.time), atol=1e-7)
    assert result.energy.balance_error < 1e-6


def test_every_section_has_the_place_of_its_line():
    model = pendulum()
    first = inspect.currentframe().f_lineno + 1
    model.parameters(broken="1/0 +")
    model.simulate(methd="rn4")
    model.wish("bob.q", 1)
    model.outputs("bab.*")
    with pytest.raises(kardan.ModelError) as caught:
        model.check()
    assert {d.line - first for d in caught.value.diagnostics} == {0, 1, 2, 3}


def test_warnings_of_models_are_warnings():
    model = pendulum()
    model.parameters(unused=1)
    with pytest.warns(kardan.ModelWarning, match="parameter.unused"):
        model.check()
