package org.example

import kotlin.math.PI

const val LIMIT = 10
var counter: Int = 0

/** What has an area. */
interface Shape {
    val sides: Int
    fun area(): Double
}

@Serializable
data class Circle(val radius: Double) : Shape {
    override val sides: Int
        get() = 0

    constructor(radius: Int) : this(radius.toDouble())

    override fun area(): Double {
        fun square(x: Double) = x * x
        return PI * square(radius)
    }

    companion object {
        const val KIND = "round"

        fun unit() = Circle(1.0)
    }

    inner class Style {
        fun colour() = "red"
    }
}

enum class Colour(val code: Int) {
    RED(1),
    GREEN(2);

    fun shade() = code
}

object Registry {
    fun add(shape: Shape) {}
}

typealias Name = String

fun String.shout(): String = uppercase()
