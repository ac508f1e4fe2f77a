//! Tests of the results of CEL expressions for a device.

use berth_quantity::Quantity;

use super::*;

fn device() -> Device {
    let attributes = [
        ("model", Attribute::Text("a100".into())),
        ("other.example.com/model", Attribute::Text("x".into())),
        ("cores", Attribute::Int(64)),
        ("healthy", Attribute::Bool(true)),
        ("driverVersion", Attribute::Version("1.10.2-rc.1".into())),
    ];
    let capacity = [("memory", "40Gi".parse::<Quantity>().unwrap())];
    let attributes = attributes.iter().map(|(name, attribute)| (*name, attribute));
    Device::new("gpu.example.com", true, attributes, capacity).unwrap()
}

fn ask(expression: &str) -> Result<bool, Problem> {
    Compiler::default().matches(expression, &device())
}

#[test]
fn documented_expressions_evaluate() {
    for (expression, answer) in [
        ("true", true),
        ("device.driver == 'gpu.example.com'", true),
        ("device.driver == \"other\"", false),
        ("device.allowMultipleAllocations", true),
        ("device.attributes['gpu.example.com'].model == 'a100'", true),
        ("device.attributes['other.example.com'].model == 'x'", true),
        ("device.attributes[device.driver].cores >= 32 && device.attributes[device.driver].healthy", true),
        ("device.attributes['gpu.example.com'].cores == 64.0", true),
        ("device.attributes['gpu.example.com'].model in ['a100', 'h100']", true),
        ("device.attributes['gpu.example.com'].healthy", true),
        ("has(device.attributes['gpu.example.com'].model)", true),
        ("has(device.attributes['gpu.example.com'].none)", false),
        ("has(device.attributes['none.example.com'].model)", false),
        ("'gpu.example.com' in device.attributes", true),
        ("'none.example.com' in device.attributes", false),
        ("'model' in device.attributes['gpu.example.com']", true),
        ("device.attributes['none.example.com'].size() == 0", true),
        ("device.attributes['gpu.example.com'].exists(name, name.startsWith('dri'))", true),
        ("[1, 2].exists(n, cel.bind(twice, n * 2, cel.bind(more, twice + 1, more == 5)))", true),
        ("device.attributes[device.driver].?index.orValue(0) == 0", true),
        ("cel.bind(gpu, device.attributes['gpu.example.com'], gpu.healthy && gpu.cores > 1)", true),
        ("device.attributes['gpu.example.com'].model.matches('^a[0-9]+$')", true),
        ("device.attributes['gpu.example.com'].model.find('[0-9]+') == '100'", true),
        ("device.attributes['gpu.example.com'].model.upperAscii().contains('A1')", true),
        ("'a-b-c'.split('-').size() == 3", true),
        ("'a1b2'.findAll('[0-9]') == ['1', '2'] && 'a1b2'.findAll('[0-9]', 1) == ['1']", true),
        ("sets.contains(['a', 'b'], ['a']) && !sets.intersects([1], [2]) && sets.equivalent([1, 1], [1])", true),
        ("device.attributes['gpu.example.com'].model == 'a100' ? true : 1 / 0 == 1", true),
        ("device.attributes['gpu.example.com'].none == 1 || true", true),
    ] {
        assert_eq!(ask(expression), Ok(answer), "{expression}");
    }
}

#[test]
fn quantity_and_semver_libraries_work() {
    for (expression, answer) in [
        ("device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) == 0", true),
        ("device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('40G'))", true),
        ("device.capacity['gpu.example.com'].memory.isLessThan(quantity('1Ti'))", true),
        ("device.capacity['gpu.example.com'].memory == quantity('40960Mi')", true),
        ("device.capacity['gpu.example.com'].memory != quantity('1')", true),
        ("quantity('50k').add(20).sub(quantity('100k')).sub(-50000) == quantity('20')", true),
        ("quantity('50k').asInteger() == 50000 && !quantity('50m').isInteger() && quantity('-1').sign() == -1", true),
        ("quantity('1.5').asApproximateFloat() == 1.5", true),
        ("isQuantity('1.3Gi') && !isQuantity('200K')", true),
        ("device.attributes['gpu.example.com'].driverVersion.isLessThan(semver('1.10.2'))", true),
        ("device.attributes['gpu.example.com'].driverVersion.isGreaterThan(semver('1.9.0'))", true),
        ("device.attributes['gpu.example.com'].driverVersion.compareTo(semver('1.10.2-rc.1+build')) == 0", true),
        ("device.attributes['gpu.example.com'].driverVersion == semver('1.10.2-rc.1')", true),
        ("device.attributes['gpu.example.com'].driverVersion.major() == 1", true),
        ("semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3", true),
        ("semver('1.0.0-alpha.2').isLessThan(semver('1.0.0-alpha.10'))", true),
        ("semver('1.0.0-1').isLessThan(semver('1.0.0-a'))", true),
        ("semver('v01.1', true) == semver('1.1.0') && isSemver('1', true)", true),
        ("isSemver('1.2.3') && !isSemver('v1.2.3') && !isSemver('1.02.3') && !isSemver('1.2')", true),
    ] {
        assert_eq!(ask(expression), Ok(answer), "{expression}");
    }
}

#[test]
fn evaluation_errors_give_the_reason() {
    let runtime = |message: &str| Err(Problem::Runtime(message.to_owned()));
    for (expression, problem) in [
        ("device.attributes['gpu.example.com'].none == 1", runtime("no such key: none")),
        ("device.attributes['none'].model == 'x'", runtime("no such key: model")),
        ("device.none == 1", runtime("no such key: none")),
        ("device.attributes['gpu.example.com'].model > 3", runtime("no such overload")),
        ("1 / 0 == 1", runtime("division by zero")),
        (
            "quantity('Three').isInteger()",
            runtime("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
        ),
        ("device.driver", runtime("CEL result of type string could not be converted to bool")),
    ] {
        assert_eq!(ask(expression), problem, "{expression}");
    }
    for expression in ["", "device.", "1 +", "device.attributes[", "cel.bind(1, 2, 3)", &"(".repeat(LONGEST + 1)] {
        assert!(matches!(ask(expression), Err(Problem::Compile(_))), "{expression:.40}");
    }
    let wrong = [("version", Attribute::Version("one".into())), ("list", Attribute::Unknown)];
    for ((name, attribute), message) in wrong.iter().zip([
        "attribute version: parse semantic version: Invalid character(s) found in version number",
        "attribute list: unsupported attribute value",
    ]) {
        assert_eq!(Device::new("d", false, [(*name, attribute)], []).unwrap_err(), message);
    }
}

#[test]
fn compiled_expressions_are_cached_up_to_a_limit() {
    let compiler = Compiler::default();
    for number in 0..2 * KEPT {
        assert_eq!(compiler.matches(&format!("{number} >= 0"), &device()), Ok(true));
    }
    assert_eq!(compiler.matches("true", &device()), Ok(true));
    assert!(compiler.compiled.borrow().len() <= KEPT);
}
